package io.millrace.backend.s3;

import io.millrace.backend.spi.object.HeaderList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.stream.IntStream;
import software.amazon.awssdk.auth.credentials.AwsBasicCredentials;
import software.amazon.awssdk.auth.credentials.StaticCredentialsProvider;
import software.amazon.awssdk.awscore.retry.AwsRetryStrategy;
import software.amazon.awssdk.core.async.AsyncRequestBody;
import software.amazon.awssdk.core.exception.SdkException;
import software.amazon.awssdk.regions.Region;
import software.amazon.awssdk.retries.api.BackoffStrategy;
import software.amazon.awssdk.services.s3.S3AsyncClient;
import software.amazon.awssdk.services.s3.model.BucketVersioningStatus;
import software.amazon.awssdk.services.s3.model.CompletedPart;
import software.amazon.awssdk.services.s3.model.CreateMultipartUploadResponse;
import software.amazon.awssdk.services.s3.model.EncodingType;
import software.amazon.awssdk.services.s3.model.ListObjectVersionsResponse;
import software.amazon.awssdk.services.s3.model.PutObjectRequest;

/** Writes test objects with the SDK's unmodified client, independently of the backend under test. */
final class SdkObjectSeeder implements AutoCloseable {
    private final S3AsyncClient client;

    SdkObjectSeeder(TestS3Server server) {
        client = S3AsyncClient.builder()
                .endpointOverride(server.endpoint())
                .region(Region.of(server.region()))
                .forcePathStyle(true)
                .overrideConfiguration(
                        override -> override.retryStrategy(AwsRetryStrategy.standardRetryStrategy().toBuilder()
                                .backoffStrategy(BackoffStrategy.retryImmediately())
                                .build()))
                // The SDK takes a second 100 Continue, which some servers send, for the answer.
                .serviceConfiguration(s3 -> s3.expectContinueEnabled(false))
                .credentialsProvider(StaticCredentialsProvider.create(
                        AwsBasicCredentials.create(server.accessKey(), server.secretKey())))
                .build();
    }

    String createBucket() {
        String bucket = "millrace-" + UUID.randomUUID();
        client.createBucket(create -> create.bucket(bucket)).join();
        return bucket;
    }

    void put(String bucket, String key, byte[] bytes, HeaderList headers) {
        Map<String, String> metadata = new HashMap<>();
        PutObjectRequest.Builder put = PutObjectRequest.builder().bucket(bucket).key(key);
        for (HeaderList.HeaderField field : headers.fields()) {
            switch (field.name().toLowerCase(Locale.ROOT)) {
                case "content-type" -> put.contentType(field.value());
                case "content-encoding" -> put.contentEncoding(field.value());
                case "content-language" -> put.contentLanguage(field.value());
                case "content-disposition" -> put.contentDisposition(field.value());
                case "cache-control" -> put.cacheControl(field.value());
                case "x-amz-checksum-sha256" -> put.checksumSHA256(field.value());
                default -> metadata.put(field.name().substring("x-amz-meta-".length()), field.value());
            }
        }
        client.putObject(put.metadata(metadata).build(), AsyncRequestBody.fromBytes(bytes))
                .join();
    }

    void delete(String bucket, String key) {
        client.deleteObject(delete -> delete.bucket(bucket).key(key)).join();
    }

    void putParts(String bucket, String key, List<byte[]> parts) {
        CreateMultipartUploadResponse upload = client.createMultipartUpload(
                        create -> create.bucket(bucket).key(key))
                .join();
        List<CompletedPart> done = IntStream.rangeClosed(1, parts.size())
                .mapToObj(number -> putPart(upload, number, parts.get(number - 1)))
                .toList();
        client.completeMultipartUpload(complete -> complete.bucket(bucket)
                        .key(key)
                        .uploadId(upload.uploadId())
                        .multipartUpload(all -> all.parts(done)))
                .join();
    }

    void keepVersions(String bucket) {
        client.putBucketVersioning(put -> put.bucket(bucket)
                        .versioningConfiguration(versions -> versions.status(BucketVersioningStatus.ENABLED)))
                .join();
    }

    /** Takes away a bucket and all in it, as far as the server knows how. */
    void deleteBucket(String bucket) {
        try {
            deleteVersions(bucket);
        } catch (RuntimeException e) {
            if (!(e.getCause() instanceof SdkException)) {
                throw e;
            }
        }
        client.listObjectsV2Paginator(list -> list.bucket(bucket).encodingType(EncodingType.URL))
                .contents()
                .subscribe(object -> delete(bucket, object.key()))
                .join();
        client.deleteBucket(delete -> delete.bucket(bucket)).join();
    }

    @Override
    public void close() {
        client.close();
    }

    private CompletedPart putPart(CreateMultipartUploadResponse upload, int number, byte[] bytes) {
        String tag = client.uploadPart(
                        part -> part.bucket(upload.bucket())
                                .key(upload.key())
                                .uploadId(upload.uploadId())
                                .partNumber(number),
                        AsyncRequestBody.fromBytes(bytes))
                .join()
                .eTag();
        return CompletedPart.builder().partNumber(number).eTag(tag).build();
    }

    private void deleteVersions(String bucket) {
        Optional<ListObjectVersionsResponse> page = Optional.of(listVersions(bucket));
        while (page.isPresent()) {
            ListObjectVersionsResponse shown = page.get();
            shown.versions().forEach(version -> deleteVersion(bucket, version.key(), version.versionId()));
            shown.deleteMarkers().forEach(marker -> deleteVersion(bucket, marker.key(), marker.versionId()));
            page = Boolean.TRUE.equals(shown.isTruncated()) ? Optional.of(listVersions(bucket)) : Optional.empty();
        }
    }

    private ListObjectVersionsResponse listVersions(String bucket) {
        return client.listObjectVersions(list -> list.bucket(bucket).encodingType(EncodingType.URL))
                .join();
    }

    private void deleteVersion(String bucket, String key, String id) {
        client.deleteObject(delete -> delete.bucket(bucket).key(key).versionId(id))
                .join();
    }
}
