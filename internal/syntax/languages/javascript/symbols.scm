(method_definition name: (_) @name) @method
(pair key: (property_identifier) @name value: [(arrow_function) (function_expression) (generator_function)]) @method

(class_declaration name: (_) @name) @class
(function_declaration name: (identifier) @name) @function
(generator_function_declaration name: (identifier) @name) @function

(lexical_declaration (variable_declarator name: (identifier) @name
  value: [(arrow_function) (function_expression) (generator_function)])) @function
(variable_declaration (variable_declarator name: (identifier) @name
  value: [(arrow_function) (function_expression) (generator_function)])) @function
(lexical_declaration (variable_declarator name: (identifier) @name value: (class))) @class

(expression_statement (assignment_expression
  left: (member_expression property: (property_identifier) @name)
  right: [(arrow_function) (function_expression) (generator_function)])) @function @exported

(program (lexical_declaration "const" (variable_declarator name: (identifier) @name)) @constant)
(program (lexical_declaration "let" (variable_declarator name: (identifier) @name)) @variable)
(program (variable_declaration (variable_declarator name: (identifier) @name)) @variable)
(export_statement declaration: (lexical_declaration "const" (variable_declarator name: (identifier) @name)) @constant)
(export_statement declaration: (lexical_declaration "let" (variable_declarator name: (identifier) @name)) @variable)
(export_statement declaration: (variable_declaration (variable_declarator name: (identifier) @name)) @variable)

(export_statement declaration: (_) @exported)
(export_statement value: (identifier) @exported.name)
(export_specifier name: (identifier) @exported.name)
(method_definition name: (private_property_identifier)) @hidden
