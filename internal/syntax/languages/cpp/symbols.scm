(function_definition declarator: (function_declarator declarator: (qualified_identifier
  scope: (_) @container name: [(identifier) (destructor_name) (operator_name)] @name))) @method
(function_definition declarator: (pointer_declarator declarator: (function_declarator declarator: (qualified_identifier
  scope: (_) @container name: [(identifier) (operator_name)] @name)))) @method
(function_definition declarator: (reference_declarator (function_declarator declarator: (qualified_identifier
  scope: (_) @container name: [(identifier) (operator_name)] @name)))) @method
(function_definition declarator: (function_declarator declarator: (qualified_identifier
  name: (qualified_identifier scope: (_) @container name: [(identifier) (destructor_name) (operator_name)] @name)))) @method

(field_declaration_list (function_definition declarator: (function_declarator
  declarator: [(field_identifier) (identifier) (destructor_name) (operator_name)] @name)) @method)
(field_declaration_list (function_definition declarator: (pointer_declarator declarator: (function_declarator
  declarator: [(field_identifier) (operator_name)] @name))) @method)
(field_declaration_list (function_definition declarator: (reference_declarator (function_declarator
  declarator: [(field_identifier) (operator_name)] @name))) @method)
(field_declaration_list (field_declaration declarator: (function_declarator
  declarator: [(field_identifier) (operator_name)] @name)) @method)
(field_declaration_list (declaration declarator: (function_declarator
  declarator: [(identifier) (destructor_name)] @name)) @method)

(template_declaration (function_definition declarator: (function_declarator declarator: (identifier) @name))) @function
(template_declaration (class_specifier name: (type_identifier) @name body: (_))) @class
(template_declaration (struct_specifier name: (type_identifier) @name body: (_))) @struct
(class_specifier name: (_) @name body: (_)) @class
(namespace_definition name: (_) @name) @module
(alias_declaration name: (type_identifier) @name) @type
(concept_definition name: (identifier) @name) @type
