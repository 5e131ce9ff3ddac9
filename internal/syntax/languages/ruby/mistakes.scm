((program (identifier) @mistake)
  (#eq? @mistake "end")
  (#set! message "unexpected \"end\""))
