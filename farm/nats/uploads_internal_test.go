package nats

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io/fs"
	"path/filepath"
	"testing"
	"time"

	"gogi/farm"
	"gogi/farm/files"
	"gogi/farm/keys"
	"gogi/internal/testutil"
)

// TestUploadsAreBounded: a worker that uploads without end loses its own oldest, and fills
// no more than its bound; one that is larger than a block may be is not begun.
func TestUploadsAreBounded(t *testing.T) {
	t.Parallel()
	dir, ring := t.TempDir(), keys.NewRing()
	for _, name := range []string{"greedy", "honest"} {
		k, _, err := keys.New(name, "o", []keys.Right{keys.Work}, time.Now(), time.Time{})
		testutil.OK(t, err)
		testutil.OK(t, ring.Add(k))
	}
	store, err := files.Open(filepath.Join(dir, "artefacts"), 1000, false)
	testutil.OK(t, err)
	s := newShelf(store, 1000, 1)
	s.uploaded = newUploaded(filepath.Join(dir, "uploads"), ring)
	s.uploaded.most = 1000
	defer s.close()
	put := func(name string, body []byte) (string, error) {
		sum := sha256.Sum256(body)
		o := offered{SHA256: hex.EncodeToString(sum[:]), Size: int64(len(body)), Body: body}
		text, err := farm.Encode(o)
		testutil.OK(t, err)
		answer, err := s.take(t.Context(), farm.SubjectUpload+name, text)
		if got, ok := answer.(taken); err == nil && (!ok || !got.Have) {
			t.Fatalf("%+v", answer)
		}
		return o.SHA256, err
	}
	mine, err := put("honest", make([]byte, 300))
	testutil.OK(t, err)
	last := ""
	for i := range 20 {
		if last, err = put("greedy", append(make([]byte, 299), byte(i))); err != nil {
			t.Fatal(err)
		}
	}
	total := int64(0)
	err = filepath.WalkDir(filepath.Join(dir, "uploads", "greedy"), func(_ string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := d.Info()
		total += info.Size()
		return err
	})
	if err != nil || total == 0 || total > 1000 {
		t.Errorf("%d bytes of uploads are kept: expected 1000 at most: %v", total, err)
	}
	for name, sum := range map[string]string{"greedy": last, "honest": mine} {
		if place, err := s.uploaded.place(name); err != nil || !place.Has(sum) {
			t.Errorf("the upload of %s is gone: %v", name, err)
		}
	}
	large, err := farm.Encode(offered{SHA256: mine, Size: farm.MaxBlock + 1, Body: []byte{1}})
	testutil.OK(t, err)
	for name, sum := range map[string]string{"greedy": "too large", "stranger": "no key"} {
		_, err := s.take(t.Context(), farm.SubjectUpload+name, large)
		if _, refused := errors.AsType[*farm.Refusal](err); !refused {
			t.Errorf("%s: %v, expected a refusal", sum, err)
		}
	}
}
