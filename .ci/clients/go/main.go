// The AWS SDK for Go reads the data set: listings, every object as a stream and by its transfer manager (by ranges and
// by part numbers), ranges, heads, errors, presigned URLs. Or it writes; the argument says which.
package main

import (
	"context"
	"errors"
	"io"
	"log"
	"net/http"
	"os"
	"strconv"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/feature/s3/transfermanager"
	transfertypes "github.com/aws/aws-sdk-go-v2/feature/s3/transfermanager/types"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"
)

var (
	ctx    = context.Background()
	bucket = aws.String(setting("BUCKET"))
)

func main() {
	log.SetFlags(0)
	client := s3.New(s3.Options{
		BaseEndpoint:     aws.String(setting("ENDPOINT")),
		Region:           setting("REGION"),
		Credentials:      credentials.NewStaticCredentialsProvider(setting("ACCESS_KEY"), setting("SECRET_KEY"), ""),
		UsePathStyle:     true,
		RetryMaxAttempts: 1,
	})
	if os.Args[1] == "writes" {
		write(client)
	} else {
		readAll(client)
	}
}

func readAll(client *s3.Client) {
	all := objects()
	listEverything(client, all)
	for _, prefix := range []string{"", "names/", "sales/"} {
		listFolder(client, all, prefix)
	}
	readEverything(client, all)
	for _, mode := range []transfertypes.GetObjectType{transfertypes.GetObjectRanges, transfertypes.GetObjectParts} {
		transferEverything(client, all, mode)
	}
	readRanges(client)
	readMetadata(client)
	missing(client)
	presigned(client, all)
}

func listEverything(client *s3.Client, all []object) {
	size, err := strconv.ParseInt(setting("PAGE"), 10, 32)
	check("PAGE", err)
	pages := s3.NewListObjectsV2Paginator(client, &s3.ListObjectsV2Input{Bucket: bucket, MaxKeys: aws.Int32(int32(size))})
	var found, expected []object
	for pages.HasMorePages() {
		page, err := pages.NextPage(ctx)
		check("list", err)
		for _, one := range page.Contents {
			found = append(found, object{size: *one.Size, key: *one.Key})
		}
	}
	for _, one := range all {
		expected = append(expected, object{size: one.size, key: one.key})
	}
	same("keys and sizes", found, expected)
}

func listFolder(client *s3.Client, all []object, prefix string) {
	input := s3.ListObjectsV2Input{Bucket: bucket, Prefix: aws.String(prefix), Delimiter: aws.String("/")}
	answer, err := client.ListObjectsV2(ctx, &input)
	check("list "+prefix, err)
	var folders, keys []string
	for _, one := range answer.CommonPrefixes {
		folders = append(folders, *one.Prefix)
	}
	for _, one := range answer.Contents {
		keys = append(keys, *one.Key)
	}
	expectedFolders, expectedKeys := below(all, prefix)
	same("folders below '"+prefix+"'", folders, expectedFolders)
	same("files below '"+prefix+"'", keys, expectedKeys)
}

func readEverything(client *s3.Client, all []object) {
	for _, one := range all {
		answer, err := client.GetObject(ctx, &s3.GetObjectInput{Bucket: bucket, Key: aws.String(one.key)})
		check(one.key, err)
		sameBytes(one.key, read(one.key, answer.Body), one.sha256)
	}
}

func transferEverything(client *s3.Client, all []object, mode transfertypes.GetObjectType) {
	manager := transfermanager.New(client, func(options *transfermanager.Options) {
		options.GetObjectType = mode
		options.PartSizeBytes = 5 << 20
	})
	for _, one := range all {
		if mode == transfertypes.GetObjectParts && one.size == 0 && setting("EMPTY_PARTS") == "no" {
			continue
		}
		answer, err := manager.GetObject(ctx, &transfermanager.GetObjectInput{Bucket: bucket, Key: aws.String(one.key)})
		what := one.key + " by " + string(mode)
		check(what, err)
		body, err := io.ReadAll(answer.Body)
		check(what, err)
		sameBytes(what, body, one.sha256)
	}
}

func readRanges(client *s3.Client) {
	for _, one := range ranges() {
		what := one.header + " of " + one.key
		input := s3.GetObjectInput{Bucket: bucket, Key: aws.String(one.key), Range: aws.String(one.header)}
		answer, err := client.GetObject(ctx, &input)
		check(what, err)
		sameBytes(what, read(what, answer.Body), one.sha256)
	}
}

func readMetadata(client *s3.Client) {
	for _, one := range described() {
		head, err := client.HeadObject(ctx, &s3.HeadObjectInput{Bucket: bucket, Key: aws.String(one.key)})
		check("head of "+one.key, err)
		same("Content-Type of "+one.key, aws.ToString(head.ContentType), one.contentType)
		same("Cache-Control of "+one.key, aws.ToString(head.CacheControl), one.cacheControl)
		same("metadata of "+one.key, head.Metadata, map[string]string{one.name: one.value})
	}
}

func missing(client *s3.Client) {
	_, err := client.GetObject(ctx, &s3.GetObjectInput{Bucket: bucket, Key: aws.String("no/such/key")})
	var noSuchKey *types.NoSuchKey
	same("a missing key is NoSuchKey", errors.As(err, &noSuchKey), true)
}

func presigned(client *s3.Client, all []object) {
	signer := s3.NewPresignClient(client)
	for _, one := range all {
		if !strings.HasPrefix(one.key, "names/") {
			continue
		}
		request, err := signer.PresignGetObject(ctx, &s3.GetObjectInput{Bucket: bucket, Key: aws.String(one.key)})
		check("presign "+one.key, err)
		answer, err := http.Get(request.URL)
		check(request.URL, err)
		sameBytes(request.URL, read(request.URL, answer.Body), one.sha256)
	}
}

func read(what string, body io.ReadCloser) []byte {
	defer body.Close()
	content, err := io.ReadAll(body)
	check(what, err)
	return content
}
