package chatdoc

func WriteReview(root, id, diff string) (path string, err error) { panic("todo") }

func RemoveReview(root, id string) error { panic("todo") }
