package main

import (
	"crypto/sha256"
	"encoding/hex"
	"log"
	"os"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
)

// What is to be found: the tables of dataset.py. Everything here ends the program at the first difference.

type object struct {
	sha256 string
	size   int64
	key    string
}

type byteRange struct {
	sha256, header, key string
}

type metadata struct {
	contentType, cacheControl, name, value, key string
}

func objects() []object {
	var found []object
	for _, row := range rows("objects.tsv") {
		size, err := strconv.ParseInt(row[1], 10, 64)
		check("size in objects.tsv", err)
		found = append(found, object{row[0], size, row[2]})
	}
	return found
}

func ranges() []byteRange {
	var found []byteRange
	for _, row := range rows("ranges.tsv") {
		found = append(found, byteRange{row[0], row[1], row[4]})
	}
	return found
}

func described() []metadata {
	var found []metadata
	for _, row := range rows("metadata.tsv") {
		found = append(found, metadata{row[0], row[1], row[2], row[3], row[4]})
	}
	return found
}

func rows(name string) [][]string {
	text, err := os.ReadFile(filepath.Join(setting("EXPECTED"), name))
	check(name, err)
	var found [][]string
	for _, line := range strings.Split(strings.TrimSuffix(string(text), "\n"), "\n") {
		if line != "" {
			found = append(found, strings.Split(line, "\t"))
		}
	}
	return found
}

// below lists what S3 lists directly below a prefix: folders with their slash, and keys.
func below(all []object, prefix string) (folders, keys []string) {
	for _, one := range all {
		rest, inside := strings.CutPrefix(one.key, prefix)
		if !inside {
			continue
		}
		folder, _, nested := strings.Cut(rest, "/")
		if !nested {
			keys = append(keys, one.key)
		} else if name := prefix + folder + "/"; len(folders) == 0 || folders[len(folders)-1] != name {
			folders = append(folders, name)
		}
	}
	return folders, keys
}

func setting(name string) string {
	value, set := os.LookupEnv(name)
	if !set {
		log.Fatalf("%s is not set", name)
	}
	return value
}

func check(what string, err error) {
	if err != nil {
		log.Fatalf("%s: %v", what, err)
	}
}

func same(what string, found, expected any) {
	if !reflect.DeepEqual(found, expected) {
		log.Fatalf("%s: found %v, expected %v", what, found, expected)
	}
}

func sameBytes(what string, body []byte, digest string) {
	sum := sha256.Sum256(body)
	same("sha256 of "+what, hex.EncodeToString(sum[:]), digest)
}
