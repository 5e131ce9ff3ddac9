((try_statement body: (block) @mistake .)
  (#set! message "this try has neither except nor finally"))
