package main

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/feature/s3/transfermanager"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"
	"github.com/aws/smithy-go"
)

// Writes: every object in one piece, large ones and streams by the transfer manager in parts, checksums, conditions,
// presigned URLs, copies, deletes. Whatever was written is read at once.

var algorithms = []types.ChecksumAlgorithm{
	types.ChecksumAlgorithmCrc32,
	types.ChecksumAlgorithmCrc32c,
	types.ChecksumAlgorithmCrc64nvme,
	types.ChecksumAlgorithmSha1,
	types.ChecksumAlgorithmSha256,
}

func write(client *s3.Client) {
	all := objects()
	putEverything(client, all)
	transferLarge(client)
	putChecked(client)
	putOnCondition(client)
	putPresigned(client, all)
	copyAndDelete(client, all)
}

func putEverything(client *s3.Client, all []object) {
	for _, one := range all {
		file, err := os.Open(filepath.Join(setting("EXPECTED"), "tree", one.key))
		check("open "+one.key, err)
		_, err = client.PutObject(ctx, &s3.PutObjectInput{Bucket: bucket, Key: aws.String(one.key), Body: file})
		check("put "+one.key, err)
		check("close "+one.key, file.Close())
		sameBytes(one.key, get(client, one.key), one.sha256)
	}
	listEverything(client, all)
}

func transferLarge(client *s3.Client) {
	large, err := os.ReadFile(filepath.Join(setting("EXPECTED"), "tree", "sizes", "large", "20MiB+1"))
	check("the large file", err)
	manager := transfermanager.New(client, func(options *transfermanager.Options) {
		options.PartSizeBytes = 5 << 20
	})
	for _, size := range []int{len(large), 0, 5 << 20, 12<<20 + 3} {
		// Behind LimitReader it is a stream of unknown length that cannot be sought.
		body := io.LimitReader(bytes.NewReader(large), int64(size))
		input := transfermanager.UploadObjectInput{Bucket: bucket, Key: aws.String("transfers/one ä+%"), Body: body}
		_, err := manager.UploadObject(ctx, &input)
		check("transfer", err)
		same("what was transferred", bytes.Equal(get(client, "transfers/one ä+%"), large[:size]), true)
	}
}

func putChecked(client *s3.Client) {
	for _, algorithm := range algorithms {
		key := aws.String("checked/" + string(algorithm))
		body := []byte("checked by " + string(algorithm))
		input := s3.PutObjectInput{Bucket: bucket, Key: key, Body: bytes.NewReader(body), ChecksumAlgorithm: algorithm}
		_, err := client.PutObject(ctx, &input)
		check(*key, err)
		answer, err := client.GetObject(ctx, &s3.GetObjectInput{Bucket: bucket, Key: key, ChecksumMode: types.ChecksumModeEnabled})
		check(*key, err)
		same(*key, string(read(*key, answer.Body)), string(body))
		sums := []*string{answer.ChecksumCRC32, answer.ChecksumCRC32C, answer.ChecksumCRC64NVME, answer.ChecksumSHA1, answer.ChecksumSHA256}
		for n, sum := range sums {
			same("a checksum of "+*key, sum != nil, algorithms[n] == algorithm)
		}
	}
}

func putOnCondition(client *s3.Client) {
	key := aws.String("conditions/one")
	first, err := client.PutObject(ctx, &s3.PutObjectInput{Bucket: bucket, Key: key, Body: strings.NewReader("first"), IfNoneMatch: aws.String("*")})
	check("put the first", err)
	_, err = client.PutObject(ctx, &s3.PutObjectInput{Bucket: bucket, Key: key, Body: strings.NewReader("other"), IfNoneMatch: aws.String("*")})
	refused("put what is there", err, "PreconditionFailed")
	_, err = client.PutObject(ctx, &s3.PutObjectInput{Bucket: bucket, Key: key, Body: strings.NewReader("second"), IfMatch: first.ETag})
	check("put the second", err)
	_, err = client.PutObject(ctx, &s3.PutObjectInput{Bucket: bucket, Key: key, Body: strings.NewReader("third"), IfMatch: first.ETag})
	refused("put over another", err, "PreconditionFailed")
	same("what is kept", string(get(client, *key)), "second")
}

func refused(what string, err error, code string) {
	var answer smithy.APIError
	same(what+" is refused", errors.As(err, &answer), true)
	same("code of "+what, answer.ErrorCode(), code)
}

func putPresigned(client *s3.Client, all []object) {
	signer := s3.NewPresignClient(client)
	for _, one := range all {
		if !strings.HasPrefix(one.key, "names/") {
			continue
		}
		key := "presigned/" + one.key
		signed, err := signer.PresignPutObject(ctx, &s3.PutObjectInput{Bucket: bucket, Key: aws.String(key)})
		check("presign "+key, err)
		request, err := http.NewRequest(signed.Method, signed.URL, strings.NewReader(one.key))
		check(signed.URL, err)
		answer, err := http.DefaultClient.Do(request)
		check(signed.URL, err)
		same("answer to "+signed.URL+" "+string(read(signed.URL, answer.Body)), answer.StatusCode, http.StatusOK)
		same(key, string(get(client, key)), one.key)
	}
}

func copyAndDelete(client *s3.Client, all []object) {
	var gone []types.ObjectIdentifier
	for _, one := range all {
		if !strings.HasPrefix(one.key, "order/") {
			continue
		}
		// The source is in a header, so whoever copies escapes it.
		source := *bucket + "/" + one.key
		_, err := client.CopyObject(ctx, &s3.CopyObjectInput{Bucket: bucket, Key: aws.String("copied/" + one.key), CopySource: aws.String(source)})
		check("copy "+one.key, err)
		sameBytes("copied/"+one.key, get(client, "copied/"+one.key), one.sha256)
		gone = append(gone, types.ObjectIdentifier{Key: aws.String(one.key)})
	}
	answer, err := client.DeleteObjects(ctx, &s3.DeleteObjectsInput{Bucket: bucket, Delete: &types.Delete{Objects: gone}})
	check("delete", err)
	same("deleted", len(answer.Deleted), len(gone))
	for _, one := range gone {
		_, err := client.HeadObject(ctx, &s3.HeadObjectInput{Bucket: bucket, Key: one.Key})
		refused("head of "+*one.Key, err, "NotFound")
	}
}

func get(client *s3.Client, key string) []byte {
	answer, err := client.GetObject(ctx, &s3.GetObjectInput{Bucket: bucket, Key: aws.String(key)})
	check("get "+key, err)
	return read(key, answer.Body)
}
