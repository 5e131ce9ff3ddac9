((jsx_element
  open_tag: (jsx_opening_element name: (_) @opened)
  close_tag: (jsx_closing_element name: (_) @mistake))
  (#not-eq? @opened @mistake)
  (#set! message "this closes another tag than the one that is open"))
