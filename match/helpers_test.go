package match_test

import "time"

const (
	startSFEN  = "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1"
	playedFile = "testdata/played.json"

	ms     = time.Millisecond
	second = time.Second
)
