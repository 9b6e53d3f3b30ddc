// MinIO's client in Go reads the members of a zip by x-minio-extract, with the requests of `warp zip`: a bucket with locks, a zip
// that is uploaded as a stream, then members in any order by many readers at once. Names, sizes and bytes are compared, and ranges.
package main

import (
	"archive/zip"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"log"
	"math/rand"
	"os"
	"reflect"
	"strings"
	"sync"
	"time"

	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/credentials"
)

const (
	archive = "0001.zip"
	files   = 2000
	size    = 10 << 10
	readers = 20
	reads   = 5000
	part    = 5 << 20
	header  = "x-minio-extract"
)

var (
	ctx    = context.Background()
	bucket = setting("BUCKET")
)

func main() {
	log.SetFlags(0)
	client := connect()
	makeBucket(client)
	contents := map[string][]byte{}
	var names []string
	for number := range files {
		name := fmt.Sprintf("%04d.bin", number)
		contents[name] = noise(number)
		names = append(names, name)
	}
	upload(client, names, contents)
	list(client, names)
	readRanges(client, names[7], contents[names[7]])
	readAll(client, names, contents)
	clear(client)
}

func connect() *minio.Client {
	scheme, host, _ := strings.Cut(setting("ENDPOINT"), "://")
	client, err := minio.New(host, &minio.Options{
		Creds:      credentials.NewStaticV4(setting("ACCESS_KEY"), setting("SECRET_KEY"), ""),
		Region:     setting("REGION"),
		Secure:     scheme == "https",
		MaxRetries: 1,
	})
	check("client", err)
	return client
}

// makeBucket puts one with locks, which therefore has versions, in the place of that without.
func makeBucket(client *minio.Client) {
	if _, _, _, err := client.GetBucketObjectLockConfig(ctx, bucket); err == nil {
		log.Fatalf("%s has locks already", bucket)
	}
	check("remove bucket", client.RemoveBucket(ctx, bucket))
	options := minio.MakeBucketOptions{Region: setting("REGION"), ObjectLocking: true}
	check("make bucket", client.MakeBucket(ctx, bucket, options))
	_, _, _, err := client.GetBucketObjectLockConfig(ctx, bucket)
	check("configuration of locks", err)
	versions, err := client.GetBucketVersioning(ctx, bucket)
	check("versioning", err)
	same("versioning", versions.Status, "Enabled")
}

func upload(client *minio.Client, names []string, contents map[string][]byte) {
	from, to := io.Pipe()
	go func() {
		writer := zip.NewWriter(to)
		for _, name := range names {
			entry, err := writer.CreateHeader(&zip.FileHeader{Name: name, Method: zip.Store})
			if err == nil {
				_, err = entry.Write(contents[name])
			}
			if err != nil {
				to.CloseWithError(err)
				return
			}
		}
		to.CloseWithError(writer.Close())
	}()
	_, err := client.PutObject(ctx, bucket, archive, from, -1, minio.PutObjectOptions{PartSize: part})
	from.CloseWithError(err)
	check("upload", err)
}

func list(client *minio.Client, names []string) {
	options := minio.ListObjectsOptions{Prefix: archive + "/", Recursive: true}
	options.Set(header, "true")
	var found, expected []string
	for one := range client.ListObjects(ctx, bucket, options) {
		check("list", one.Err)
		found = append(found, fmt.Sprint(one.Key, " ", one.Size))
	}
	for _, name := range names {
		expected = append(expected, fmt.Sprint(archive, "/", name, " ", size))
	}
	same("members and sizes", found, expected)
}

func open(client *minio.Client, name string) *minio.Object {
	var options minio.GetObjectOptions
	options.Set(header, "true")
	member, err := client.GetObject(ctx, bucket, archive+"/"+name, options)
	check(name, err)
	return member
}

// readRanges asks for the size first, as warp does, so its ranges have the member's ETag as a condition.
func readRanges(client *minio.Client, name string, content []byte) {
	member := open(client, name)
	defer member.Close()
	found, err := member.Stat()
	check("head", err)
	same("size", found.Size, int64(len(content)))
	for _, at := range []int{9000, 0, 4095} {
		piece := make([]byte, 1000)
		_, err := member.ReadAt(piece, int64(at))
		check("range", err)
		same("range", piece, content[at:at+1000])
	}
}

func readAll(client *minio.Client, names []string, contents map[string][]byte) {
	started := time.Now()
	var group sync.WaitGroup
	for reader := range readers {
		group.Go(func() {
			order := rand.New(rand.NewSource(int64(reader)))
			for range reads / readers {
				name := names[order.Intn(len(names))]
				member := open(client, name)
				content, err := io.ReadAll(member)
				check("read "+name, err)
				same("sha256 of "+name, sha256.Sum256(content), sha256.Sum256(contents[name]))
				check("close "+name, member.Close())
			}
		})
	}
	group.Wait()
	fmt.Printf("%d members of %d bytes by %d readers: %.0f a second\n", reads, size, readers, reads/time.Since(started).Seconds())
}

// clear removes each version, for which it may have to override locks.
func clear(client *minio.Client) {
	left := make(chan minio.ObjectInfo)
	go func() {
		defer close(left)
		for one := range client.ListObjects(ctx, bucket, minio.ListObjectsOptions{Recursive: true, WithVersions: true}) {
			check("list of versions", one.Err)
			left <- one
		}
	}()
	for one := range client.RemoveObjects(ctx, bucket, left, minio.RemoveObjectsOptions{GovernanceBypass: true}) {
		check("remove "+one.ObjectName, one.Err)
	}
}

func noise(number int) []byte {
	content := make([]byte, size)
	rand.New(rand.NewSource(int64(number))).Read(content)
	return content
}

func setting(name string) string {
	value, found := os.LookupEnv(name)
	if !found {
		check(name, errors.New("is not set"))
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
		log.Fatalf("%s: found %.300s, expected %.300s", what, fmt.Sprint(found), fmt.Sprint(expected))
	}
}
