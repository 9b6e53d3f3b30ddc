package io.millrace.gateway.read;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.millrace.auth.SignatureSettings;
import io.millrace.backend.spi.Backend;
import io.millrace.backend.testkit.server.ScriptedHub;
import io.millrace.cache.BlockCache;
import io.millrace.config.DataSize;
import io.millrace.gateway.objects.bucket.BucketRegistry;
import io.millrace.gateway.objects.bucket.BucketSavingsRegistry;
import io.millrace.gateway.objects.bucket.BucketSettings;
import io.millrace.gateway.objects.derived.ArchiveIndexes;
import io.millrace.gateway.objects.derived.MemberViews;
import io.millrace.gateway.objects.read.CurrentObjectFinder;
import io.millrace.gateway.objects.read.HeadPrefetcher;
import io.millrace.gateway.objects.read.ObjectSourceFactory;
import io.millrace.gateway.objects.testkit.CacheFixture;
import io.millrace.gateway.s3.bucket.ReadBucketFinder;
import io.millrace.gateway.s3.connection.ConnectionMeters;
import io.millrace.gateway.s3.hub.HubResponder;
import io.millrace.gateway.s3.hub.HubSettings;
import io.millrace.gateway.s3.object.ObjectReadHandler;
import io.millrace.gateway.s3.observe.RequestRecorder;
import io.millrace.gateway.s3.server.RequestService;
import io.millrace.gateway.s3.server.S3Server;
import io.millrace.gateway.s3.server.S3Settings;
import io.millrace.gateway.testkit.RawClient;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/** A Hub port on a free port of the loopback, over a cache and a scripted Hub with the token {@code operator}. */
final class HubPortFixture implements AutoCloseable {
    /** The backend of the port, in the settings of buckets. */
    static final String BACKEND = "hub";

    /** Another backend. */
    static final String OTHER_BACKEND = "other";

    private final Backend backend;
    private final BlockCache cache;
    private final S3Server server;

    /**
     * @param prefetches where the objects of fetches ahead come from
     * @param shown what S3 clients see of the Hub
     */
    HubPortFixture(
            ScriptedHub hub,
            Path folder,
            InstantSource clock,
            ObjectSourceFactory prefetches,
            RequestRecorder recorder,
            BucketSettings... shown)
            throws IOException {
        backend = ScriptedHubBackend.of(hub, Optional.of("operator"));
        cache = CacheFixture.in(folder, "1GiB", clock);
        BucketSavingsRegistry savings = BucketSavingsRegistry.free();
        BucketRegistry buckets =
                new BucketRegistry(List.of(shown), Map.of(BACKEND, backend, OTHER_BACKEND, backend), savings);
        CurrentObjectFinder objects = new CurrentObjectFinder(Optional.of(cache), ObjectSourceFactory.BACKENDS, clock);
        HubResponder responder = new HubResponder(
                new HubSettings("127.0.0.1", 0, BACKEND, Duration.ofMinutes(1), Duration.ofHours(1)),
                backend,
                buckets,
                savings,
                new ObjectReadHandler(
                        new ReadBucketFinder(buckets, new MemberViews(objects, new ArchiveIndexes(Optional.empty()))),
                        objects,
                        new HeadPrefetcher(Optional.of(cache), prefetches, clock)),
                clock);
        RequestService service = new RequestService(responder, recorder);
        server = new S3Server(
                settings(), () -> service, Optional.empty(), new ConnectionMeters(new SimpleMeterRegistry(), "hub"));
        server.start();
    }

    int port() {
        return server.port();
    }

    RawClient.Response ask(String method, String target, String... fields) throws IOException {
        String head = method + " " + target + " HTTP/1.1\r\nHost: hub\r\n"
                + Stream.of(fields).map(field -> field + "\r\n").reduce("", String::concat) + "\r\n";
        return RawClient.ask(port(), head);
    }

    RawClient.Response post(String target, String type, String body) throws IOException {
        return RawClient.ask(port(), headOfPost(target, type, body.length()) + body);
    }

    static String headOfPost(String target, String type, int length) {
        String head = "POST %s HTTP/1.1\r\nHost: hub\r\nContent-Type: %s\r\nContent-Length: %d\r\n\r\n";
        return head.formatted(target, type, length);
    }

    @Override
    public void close() {
        server.stop();
        cache.close();
        backend.close().block();
    }

    private static S3Settings settings() {
        Duration soon = Duration.ofSeconds(60);
        return new S3Settings(
                "127.0.0.1",
                0,
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                DataSize.parse("64KiB"),
                soon,
                soon,
                1000,
                Optional.empty(),
                List.of(),
                soon,
                Duration.ZERO,
                Duration.ofSeconds(5),
                Optional.empty(),
                SignatureSettings.defaults());
    }
}
