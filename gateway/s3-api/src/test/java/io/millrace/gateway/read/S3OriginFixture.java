package io.millrace.gateway.read;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.millrace.auth.signature.RequestSigner;
import io.millrace.backend.http.BackendTlsSettings;
import io.millrace.backend.http.ConnectionSettings;
import io.millrace.backend.resilience.ResilienceSettings;
import io.millrace.backend.resilience.ResilientBackend;
import io.millrace.backend.s3.ConditionalOperation;
import io.millrace.backend.s3.S3BackendProvider;
import io.millrace.backend.s3.S3BackendSettings;
import io.millrace.backend.spi.Backend;
import io.millrace.backend.spi.object.HeaderList;
import io.millrace.config.Secret;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.time.Duration;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import software.amazon.awssdk.auth.credentials.AwsBasicCredentials;
import software.amazon.awssdk.auth.credentials.StaticCredentialsProvider;
import software.amazon.awssdk.core.sync.RequestBody;
import software.amazon.awssdk.http.apache5.Apache5HttpClient;
import software.amazon.awssdk.regions.Region;
import software.amazon.awssdk.services.s3.S3Client;
import software.amazon.awssdk.services.s3.model.CompletedPart;
import software.amazon.awssdk.services.s3.model.CreateMultipartUploadResponse;
import software.amazon.awssdk.services.s3.model.PutObjectRequest;
import software.amazon.awssdk.services.s3.model.S3Exception;

/**
 * An S3 server of this machine.
 *
 * @param stored the keys put there, by bucket: not every server lists all it holds
 */
public record S3OriginFixture(
        URI endpoint,
        String accessKey,
        String secretKey,
        Set<Trait> traits,
        S3Client client,
        Backend backend,
        ConcurrentMap<String, Set<String>> stored)
        implements OriginFixture {
    static final String REGION = "us-east-1";
    private static final String ENVIRONMENT = "MILLRACE_TEST_S3_";

    /**
     * One whose traits are known. Its conditions are declared as an operator does: nothing tells which server it is.
     */
    public static S3OriginFixture at(URI endpoint, String accessKey, String secretKey, Set<Trait> traits) {
        return at(endpoint, accessKey, secretKey, traits, Optional.of(List.of(ConditionalOperation.PUT)));
    }

    private static S3OriginFixture at(
            URI endpoint,
            String accessKey,
            String secretKey,
            Set<Trait> traits,
            Optional<List<ConditionalOperation>> conditionalWrites) {
        S3Client client = client(endpoint, accessKey, secretKey);
        S3BackendSettings settings = new S3BackendSettings(
                Optional.of(endpoint),
                REGION,
                Optional.of(true),
                Optional.of(accessKey),
                Optional.of(Secret.of(secretKey)),
                Optional.empty(),
                false,
                new ConnectionSettings(
                        256,
                        BackendTlsSettings.DEFAULTS,
                        Optional.empty(),
                        Duration.ofSeconds(2),
                        Duration.ofSeconds(20),
                        Duration.ofSeconds(20)),
                conditionalWrites,
                false);
        return new S3OriginFixture(
                endpoint,
                accessKey,
                secretKey,
                traits,
                client,
                // As in the gateway: a read over a connection that the server was just closing is sent again.
                new ResilientBackend(
                        "test", new S3BackendProvider().create("test", settings), ResilienceSettings.DEFAULTS),
                new ConcurrentHashMap<>());
    }

    /** One whose traits are found out by asking it. */
    public static S3OriginFixture probed(URI endpoint, String accessKey, String secretKey) {
        Set<Trait> traits = EnumSet.allOf(Trait.class);
        String bucket = "read-probe-" + UUID.randomUUID();
        RawResponse wire = wire(endpoint, accessKey, secretKey);
        try (S3Client client = client(endpoint, accessKey, secretKey)) {
            client.createBucket(create -> create.bucket(bucket));
            try {
                if (!holds(client, wire, bucket, "/")
                        || !holds(client, wire, bucket, "a")
                        || !holds(client, wire, bucket, "a/b")) {
                    traits.remove(Trait.ANY_NAME);
                }
                if (!answers(() ->
                        client.headObject(head -> head.bucket(bucket).key("a").versionId("null")))) {
                    traits.remove(Trait.NULL_VERSION);
                }
            } finally {
                for (String key : List.of("a/b", "a", "/")) {
                    answers(() ->
                            client.deleteObject(delete -> delete.bucket(bucket).key(key)));
                }
                client.deleteBucket(delete -> delete.bucket(bucket));
            }
        }
        return at(endpoint, accessKey, secretKey, traits, Optional.empty());
    }

    /**
     * Any S3 server of this machine: {@code MILLRACE_TEST_S3_ENDPOINT}, {@code _ACCESS_KEY} and {@code _SECRET_KEY} say
     * which. Skips the class without them.
     */
    public static OriginFixture ofEnvironment() {
        Map<String, String> environment = System.getenv();
        assumeTrue(environment.containsKey(ENVIRONMENT + "ENDPOINT"), "no " + ENVIRONMENT + "ENDPOINT");
        return probed(
                URI.create(environment.getOrDefault(ENVIRONMENT + "ENDPOINT", "")),
                environment.getOrDefault(ENVIRONMENT + "ACCESS_KEY", ""),
                environment.getOrDefault(ENVIRONMENT + "SECRET_KEY", ""));
    }

    /** The SDK's blocking client for an endpoint, path style. */
    public static S3Client client(URI endpoint, String accessKey, String secretKey) {
        return S3Client.builder()
                // Not what the class path happens to have: HttpURLConnection breaks off under thousands of writes.
                .httpClientBuilder(Apache5HttpClient.builder())
                .endpointOverride(endpoint)
                .region(Region.of(REGION))
                .forcePathStyle(true)
                .credentialsProvider(credentials(accessKey, secretKey))
                .build();
    }

    /** For clients of the SDK. */
    public static StaticCredentialsProvider credentials(String accessKey, String secretKey) {
        return StaticCredentialsProvider.create(AwsBasicCredentials.create(accessKey, secretKey));
    }

    @Override
    public boolean canHold(String key) {
        // A NUL is never sent to an S3 server.
        return key.indexOf('\0') < 0
                && (traits.contains(Trait.ANY_NAME)
                        || Stream.of(key.split("/", -1)).noneMatch(S3OriginFixture::isNoFileName));
    }

    @Override
    public void createBucket(String bucket) {
        client.createBucket(create -> create.bucket(bucket));
        stored.put(bucket, ConcurrentHashMap.newKeySet());
    }

    @Override
    public void put(String bucket, String key, byte[] bytes, HeaderList headers) {
        Map<String, String> metadata = new HashMap<>();
        PutObjectRequest.Builder put = PutObjectRequest.builder().bucket(bucket).key(key);
        for (HeaderList.HeaderField field : headers.fields()) {
            switch (field.name()) {
                case "content-type" -> put.contentType(field.value());
                case "content-encoding" -> put.contentEncoding(field.value());
                case "content-language" -> put.contentLanguage(field.value());
                case "content-disposition" -> put.contentDisposition(field.value());
                case "cache-control" -> put.cacheControl(field.value());
                case "x-amz-checksum-sha256" -> put.checksumSHA256(field.value());
                default -> metadata.put(field.name().substring("x-amz-meta-".length()), field.value());
            }
        }
        client.putObject(put.metadata(metadata).build(), RequestBody.fromBytes(bytes));
        remember(bucket, key);
    }

    @Override
    public void putParts(String bucket, String key, List<byte[]> parts) {
        CreateMultipartUploadResponse upload =
                client.createMultipartUpload(create -> create.bucket(bucket).key(key));
        List<CompletedPart> done = IntStream.rangeClosed(1, parts.size())
                .mapToObj(number -> putPart(upload, number, parts.get(number - 1)))
                .toList();
        client.completeMultipartUpload(complete ->
                complete.bucket(bucket).key(key).uploadId(upload.uploadId()).multipartUpload(all -> all.parts(done)));
        remember(bucket, key);
    }

    @Override
    public Optional<RawResponse> wire() {
        return Optional.of(wire(endpoint, accessKey, secretKey));
    }

    @Override
    public void close() {
        stored.forEach(this::deleteBucket);
        backend.close().block();
        client.close();
    }

    private static boolean answers(Runnable request) {
        try {
            request.run();
            return true;
        } catch (S3Exception | AssertionError otherwise) {
            return false;
        }
    }

    /** Read back with its slashes as they are, which is how the backend asks, and not encoded. */
    private static boolean holds(S3Client client, RawResponse wire, String bucket, String key) {
        return answers(() -> {
            client.putObject(put -> put.bucket(bucket).key(key), RequestBody.fromString(key));
            try {
                assertThat(wire.get(RawResponse.path(bucket, key)).text()).isEqualTo(key);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        });
    }

    private static RawResponse wire(URI endpoint, String accessKey, String secretKey) {
        return new RawResponse(endpoint.getPort(), new RequestSigner(accessKey, Secret.of(secretKey), REGION));
    }

    private static boolean isNoFileName(String component) {
        return component.isEmpty() || component.equals(".") || component.equals("..") || component.indexOf('\0') >= 0;
    }

    private CompletedPart putPart(CreateMultipartUploadResponse upload, int number, byte[] bytes) {
        String tag = client.uploadPart(
                        part -> part.bucket(upload.bucket())
                                .key(upload.key())
                                .uploadId(upload.uploadId())
                                .partNumber(number),
                        RequestBody.fromBytes(bytes))
                .eTag();
        return CompletedPart.builder().partNumber(number).eTag(tag).build();
    }

    private void remember(String bucket, String key) {
        stored.computeIfAbsent(bucket, b -> ConcurrentHashMap.newKeySet()).add(key);
    }

    /** The longest first: where names are paths, a folder goes last. */
    private void deleteBucket(String bucket, Set<String> keys) {
        keys.stream()
                .sorted(Comparator.comparingInt(String::length).reversed())
                .forEach(key ->
                        client.deleteObject(delete -> delete.bucket(bucket).key(key)));
        client.deleteBucket(delete -> delete.bucket(bucket));
    }
}
