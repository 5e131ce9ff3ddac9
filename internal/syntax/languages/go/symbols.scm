(function_declaration name: (identifier) @name) @function

(method_declaration
  receiver: (parameter_list (parameter_declaration type: [
    (type_identifier) @container
    (generic_type type: (type_identifier) @container)
    (pointer_type (type_identifier) @container)
    (pointer_type (generic_type type: (type_identifier) @container))]))
  name: (field_identifier) @name) @method

(source_file (type_declaration (type_spec name: (type_identifier) @name type: (struct_type)) @struct))
(source_file (type_declaration (type_spec name: (type_identifier) @name type: (interface_type)) @interface))
(source_file (type_declaration (type_spec name: (type_identifier) @name) @type))
(source_file (type_declaration (type_alias name: (type_identifier) @name) @type))
(source_file (type_declaration . [
  (type_spec name: (type_identifier) @name)
  (type_alias name: (type_identifier) @name)] .) @type)

(source_file (type_declaration (type_spec type: (struct_type
  (field_declaration_list (field_declaration name: (field_identifier) @name) @field)))))
(source_file (type_declaration (type_spec type: (interface_type (method_elem name: (field_identifier) @name) @method))))

(source_file (const_declaration (const_spec name: (identifier) @name) @constant))
(source_file (var_declaration (var_spec name: (identifier) @name) @variable))
(source_file (var_declaration (var_spec_list (var_spec name: (identifier) @name) @variable)))
