// The AWS SDK for Go with nothing but the environment writes one object to its output.
package main

import (
	"context"
	"io"
	"log"
	"os"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/aws-sdk-go-v2/service/s3"
)

func main() {
	ctx := context.Background()
	settings, err := config.LoadDefaultConfig(ctx)
	check(err)
	client := s3.NewFromConfig(settings, func(options *s3.Options) { options.UsePathStyle = true })
	object, err := client.GetObject(ctx, &s3.GetObjectInput{Bucket: aws.String("data"), Key: aws.String("key")})
	check(err)
	_, err = io.Copy(os.Stdout, object.Body)
	check(err)
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
