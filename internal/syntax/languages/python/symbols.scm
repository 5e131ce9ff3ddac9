(class_definition body: (block (function_definition name: (identifier) @name) @method))
(class_definition body: (block (decorated_definition definition: (function_definition name: (identifier) @name)) @method))

(function_definition name: (identifier) @name) @function
(decorated_definition definition: (function_definition name: (identifier) @name)) @function

(class_definition name: (identifier) @name) @class
(decorated_definition definition: (class_definition name: (identifier) @name)) @class

(type_alias_statement left: (type (identifier) @name)) @type

(module (expression_statement (assignment left: (identifier) @name)) @variable)
(class_definition body: (block (expression_statement (assignment left: (identifier) @name)) @field))
