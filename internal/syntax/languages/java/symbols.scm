(class_declaration name: (identifier) @name) @class
(record_declaration name: (identifier) @name) @class
(interface_declaration name: (identifier) @name) @interface
(annotation_type_declaration name: (identifier) @name) @interface
(enum_declaration name: (identifier) @name) @enum
(method_declaration name: (identifier) @name) @method
(constructor_declaration name: (identifier) @name) @method
(compact_constructor_declaration name: (identifier) @name) @method
(annotation_type_element_declaration name: (identifier) @name) @method
(field_declaration declarator: (variable_declarator name: (identifier) @name)) @field
(constant_declaration declarator: (variable_declarator name: (identifier) @name)) @constant
(enum_constant name: (identifier) @name) @constant @exported

[
  (class_declaration (modifiers ["public" "protected"]))
  (record_declaration (modifiers ["public" "protected"]))
  (interface_declaration (modifiers ["public" "protected"]))
  (annotation_type_declaration (modifiers ["public" "protected"]))
  (enum_declaration (modifiers ["public" "protected"]))
  (method_declaration (modifiers ["public" "protected"]))
  (constructor_declaration (modifiers ["public" "protected"]))
  (field_declaration (modifiers ["public" "protected"]))
] @exported
(interface_body (_) @exported)
(annotation_type_body (_) @exported)
