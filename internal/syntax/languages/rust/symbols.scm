(impl_item body: (declaration_list (function_item name: (identifier) @name) @method))
(trait_item body: (declaration_list (function_item name: (identifier) @name) @method))
(trait_item body: (declaration_list (function_signature_item name: (identifier) @name) @method))
(function_item name: (identifier) @name) @function
(function_signature_item name: (identifier) @name) @function

(struct_item name: (type_identifier) @name) @struct
(union_item name: (type_identifier) @name) @struct
(enum_item name: (type_identifier) @name) @enum
(trait_item name: (type_identifier) @name) @interface
(type_item name: (type_identifier) @name) @type
(mod_item name: (identifier) @name) @module
(macro_definition name: (identifier) @name) @macro @exported

(source_file (const_item name: (identifier) @name) @constant)
(source_file (static_item name: (identifier) @name) @variable)
(declaration_list (const_item name: (identifier) @name) @constant)
(declaration_list (static_item name: (identifier) @name) @variable)
(field_declaration name: (field_identifier) @name) @field
(enum_variant name: (identifier) @name) @constant

(impl_item type: [
  (type_identifier) @name
  (generic_type type: (type_identifier) @name)
  (scoped_type_identifier name: (type_identifier) @name)]) @scope

[
  (function_item (visibility_modifier))
  (struct_item (visibility_modifier))
  (union_item (visibility_modifier))
  (enum_item (visibility_modifier))
  (trait_item (visibility_modifier))
  (type_item (visibility_modifier))
  (mod_item (visibility_modifier))
  (const_item (visibility_modifier))
  (static_item (visibility_modifier))
  (field_declaration (visibility_modifier))
] @exported
(trait_item (visibility_modifier) body: (declaration_list (_) @exported))
(impl_item trait: (_) body: (declaration_list (_) @exported))
(enum_item (visibility_modifier) body: (enum_variant_list (_) @exported))
