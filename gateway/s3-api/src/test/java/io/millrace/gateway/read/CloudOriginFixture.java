package io.millrace.gateway.read;

import io.millrace.backend.azure.AzureBackendProvider;
import io.millrace.backend.azure.AzureBackendSettings;
import io.millrace.backend.gcs.GcsBackendProvider;
import io.millrace.backend.gcs.GcsBackendSettings;
import io.millrace.backend.http.BackendTlsSettings;
import io.millrace.backend.http.ConnectionSettings;
import io.millrace.backend.resilience.ResilienceSettings;
import io.millrace.backend.resilience.ResilientBackend;
import io.millrace.backend.spi.Backend;
import io.millrace.backend.spi.BucketManager.NewBucket;
import io.millrace.backend.spi.ObjectWriter.Deletion;
import io.millrace.backend.spi.ObjectWriter.NewObject;
import io.millrace.backend.spi.UploadBody;
import io.millrace.backend.spi.WriteCondition;
import io.millrace.backend.spi.object.BucketName;
import io.millrace.backend.spi.object.HeaderList;
import io.millrace.backend.spi.object.ObjectKey;
import io.millrace.backend.spi.object.ObjectRef;
import io.millrace.backend.testkit.data.ListedPages;
import io.millrace.config.Secret;
import io.netty.buffer.Unpooled;
import java.net.URI;
import java.time.Duration;
import java.util.EnumSet;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import reactor.core.publisher.Flux;

/**
 * An emulator of a cloud on this machine. Objects are put there by its backend, whose writes the contract of backends
 * judges.
 *
 * @param names those that it can hold
 * @param buckets those made there
 */
record CloudOriginFixture(Backend backend, Set<Trait> traits, Predicate<String> names, Set<String> buckets)
        implements OriginFixture {
    private static final Duration SOON = Duration.ofSeconds(20);

    /** Components that servers resolve, and what is no XML. */
    private static final Pattern UNUSABLE = Pattern.compile("(^|/)\\.{1,2}(/|$)|[\\x00-\\x1F\\uFFFE\\uFFFF]");

    static CloudOriginFixture gcs(URI endpoint) {
        Backend backend = new GcsBackendProvider()
                .create(
                        "test",
                        new GcsBackendSettings(
                                Optional.of("test-project"),
                                Optional.empty(),
                                true,
                                endpoint,
                                Optional.empty(),
                                Optional.empty(),
                                new ConnectionSettings(
                                        256, BackendTlsSettings.DEFAULTS, Optional.empty(), SOON, SOON, SOON)));
        return of(
                backend,
                // The emulator cuts a common prefix behind the first character of the delimiter. No cloud takes every
                // name.
                EnumSet.of(Trait.METADATA, Trait.RFC_CONDITIONS, Trait.CHECKSUMS, Trait.NULL_VERSION),
                name -> !UNUSABLE.matcher(name).find());
    }

    static CloudOriginFixture azure(URI endpoint, String accountKey) {
        Backend backend = new AzureBackendProvider()
                .create(
                        "test",
                        new AzureBackendSettings(
                                Optional.of("devstoreaccount1"),
                                Optional.of(Secret.of(accountKey)),
                                Optional.empty(),
                                Optional.empty(),
                                Optional.of(endpoint),
                                false,
                                new ConnectionSettings(
                                        256, BackendTlsSettings.DEFAULTS, Optional.empty(), SOON, SOON, SOON)));
        return of(
                backend,
                // Azurite leaves the tag out of a 304 to a date.
                EnumSet.of(Trait.METADATA, Trait.CHECKSUMS, Trait.ANY_DELIMITER, Trait.NULL_VERSION),
                key -> !UNUSABLE.matcher(key).find()
                        && !key.startsWith(".millrace/")
                        && !key.endsWith(".")
                        && !key.endsWith("/")
                        && !key.contains("\\")
                        && key.split("/", -1).length <= 254);
    }

    private static CloudOriginFixture of(Backend backend, Set<Trait> traits, Predicate<String> names) {
        return new CloudOriginFixture(
                // As in the gateway: a read over a connection that the server was just closing is sent again.
                new ResilientBackend("test", backend, ResilienceSettings.DEFAULTS),
                traits,
                names,
                ConcurrentHashMap.newKeySet());
    }

    @Override
    public boolean canHold(String key) {
        return names.test(key);
    }

    @Override
    public void createBucket(String bucket) {
        backend.createBucket(NewBucket.of(new BucketName(bucket))).block(SOON);
        buckets.add(bucket);
    }

    @Override
    public void put(String bucket, String key, byte[] bytes, HeaderList headers) {
        UploadBody body = UploadBody.of(bytes.length, Flux.defer(() -> Flux.just(Unpooled.copiedBuffer(bytes))));
        backend.put(new NewObject(object(bucket, key), headers, WriteCondition.ALWAYS), body)
                .block(SOON);
    }

    @Override
    public void close() {
        for (String bucket : buckets) {
            for (String key : ListedPages.readAll(backend, ListedPages.request(new BucketName(bucket), "", "", 1000))
                    .keys()) {
                backend.delete(Deletion.of(object(bucket, key)), HeaderList.EMPTY)
                        .block(SOON);
            }
            backend.deleteBucket(new BucketName(bucket)).block(SOON);
        }
        backend.close().block(SOON);
    }

    private static ObjectRef object(String bucket, String key) {
        return new ObjectRef(new BucketName(bucket), new ObjectKey(key));
    }
}
