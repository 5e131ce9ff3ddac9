package model

import "testing"

func TestOnlyLoopback(t *testing.T) {
	for address, here := range map[string]bool{
		"127.0.0.1:80": true, "[::1]:80": true, "[::ffff:127.0.0.1]:80": true, "[::1%lo]:80": true,
		"10.0.0.1:80": false, "[fe80::1%lo]:80": false, "93.184.216.34:443": false, "localhost:80": false,
	} {
		if err := onlyLoopback("tcp", address, nil); (err == nil) != here {
			t.Errorf("%s: %v", address, err)
		}
	}
}
