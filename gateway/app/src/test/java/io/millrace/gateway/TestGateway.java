package io.millrace.gateway;

import io.millrace.auth.SignatureSettings;
import io.millrace.auth.identity.IdentityRegistry;
import io.millrace.auth.identity.IdentitySettings;
import io.millrace.auth.policy.AccessPolicy;
import io.millrace.auth.policy.AllowRule;
import io.millrace.auth.signature.RequestSigner;
import io.millrace.auth.signature.RequestVerifier;
import io.millrace.backend.spi.Backend;
import io.millrace.backend.spi.object.BucketName;
import io.millrace.cache.BlockCache;
import io.millrace.config.DataSize;
import io.millrace.config.Secret;
import io.millrace.gateway.app.HandlerRegistry;
import io.millrace.gateway.objects.bucket.AnonymousAccess;
import io.millrace.gateway.objects.bucket.BucketPattern;
import io.millrace.gateway.objects.bucket.BucketRegistry;
import io.millrace.gateway.objects.bucket.BucketSettings;
import io.millrace.gateway.objects.bucket.BucketViews;
import io.millrace.gateway.objects.bucket.CacheRule;
import io.millrace.gateway.objects.bucket.CorsSettings;
import io.millrace.gateway.objects.bucket.FreshnessSettings;
import io.millrace.gateway.objects.read.CachedObjects;
import io.millrace.gateway.objects.savings.SavingsLedger;
import io.millrace.gateway.objects.write.FencedWrites;
import io.millrace.gateway.s3.cors.CorsRuleCache;
import io.millrace.gateway.s3.gate.Gate;
import io.millrace.gateway.s3.listing.ContinuationTokenSealer;
import io.millrace.gateway.s3.observe.RequestRecord;
import io.millrace.gateway.s3.observe.RequestRecorder;
import io.millrace.gateway.s3.protocol.BucketHostRule;
import io.millrace.gateway.s3.server.S3RequestService;
import io.millrace.gateway.s3.server.S3Server;
import io.millrace.gateway.s3.server.S3Settings;
import java.net.URI;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A data plane on a free port of the loopback, over any backends, with real sockets and no Spring. The identity
 * {@link #ACCESS_KEY} may do everything.
 */
public final class TestGateway implements AutoCloseable {
    public static final String ACCESS_KEY = "TESTKEY";
    public static final String SECRET_KEY = "test-secret-key";
    public static final String DOMAIN = "s3.test";

    private final S3Server server;
    private final Recorded recorded;

    private TestGateway(S3Server server, Recorded recorded) {
        this.server = server;
        this.recorded = recorded;
    }

    /** Starts with nothing; add buckets and identities. */
    public static Builder builder() {
        return new Builder();
    }

    /** A gateway whose every bucket is the backend's of the same name. */
    public static TestGateway over(Backend backend) {
        return builder().bucket("*", backend).start();
    }

    public int port() {
        return server.port();
    }

    public URI endpoint() {
        return URI.create("http://127.0.0.1:" + port());
    }

    /** Signs with the identity that may do everything. */
    public RequestSigner signer() {
        return new RequestSigner(ACCESS_KEY, Secret.of(SECRET_KEY), "us-east-1");
    }

    /** The requests that have ended, in that order. */
    public List<RequestRecord> requests() {
        return recorded.ended;
    }

    /** Requests that have begun and not ended. */
    public int inFlight() {
        return recorded.started.get() - recorded.ended.size();
    }

    @Override
    public void close() {
        server.stop();
    }

    private static final class Recorded implements RequestRecorder {
        private final AtomicInteger started = new AtomicInteger();
        private final List<RequestRecord> ended = new CopyOnWriteArrayList<>();

        @Override
        public void started() {
            started.incrementAndGet();
        }

        @Override
        public void ended(RequestRecord request) {
            ended.add(request);
        }
    }

    /** Collects what a gateway serves. */
    public static final class Builder {
        private final List<BucketSettings> buckets = new ArrayList<>();
        private final Map<String, Backend> backends = new LinkedHashMap<>();
        private final List<IdentitySettings> identities = new ArrayList<>();
        private Duration drain = Duration.ofSeconds(5);
        private Duration stalledReader = Duration.ofMinutes(5);
        private InstantSource clock = InstantSource.system();
        private Optional<BlockCache> cache = Optional.empty();
        private FreshnessSettings freshness = BucketViews.FRESHNESS;
        private BucketSettings.WriteMode write = BucketSettings.WriteMode.FILL;
        private BucketSettings.AccessPolicyMode accessPolicies = BucketSettings.AccessPolicyMode.REFUSE;
        private List<String> forwardUnknown = List.of();
        private List<CorsSettings> cors = List.of();
        private List<CacheRule> caching = List.of();
        private Duration idle = Duration.ofSeconds(60);

        private Builder() {
            identity("tester", ACCESS_KEY, SECRET_KEY, "*");
        }

        /** A bucket, or a pattern of buckets, on a backend. */
        public Builder bucket(String pattern, Backend backend) {
            return bucket(pattern, backend, "", "none");
        }

        /** The same below a prefix, with what everybody may do. */
        public Builder bucket(String pattern, Backend backend, String prefix, String anonymous) {
            backends.put("backend-" + backends.size(), backend);
            return bucket(pattern, Optional.empty(), prefix, anonymous);
        }

        /** Another name for a part of a bucket on the backend of the bucket before. */
        public Builder alias(String name, String real, String prefix) {
            return bucket(name, Optional.of(new BucketName(real)), prefix, "none");
        }

        private Builder bucket(String pattern, Optional<BucketName> real, String prefix, String anonymous) {
            buckets.add(new BucketSettings(
                    BucketPattern.parse(pattern),
                    "backend-" + (backends.size() - 1),
                    real,
                    prefix,
                    AnonymousAccess.parse(anonymous),
                    write,
                    accessPolicies,
                    forwardUnknown,
                    cors,
                    caching,
                    freshness,
                    Optional.empty(),
                    List.of(),
                    Optional.empty()));
            return this;
        }

        /** Somebody who may do this. */
        public Builder identity(String name, String accessKey, String secretKey, String... allow) {
            identities.add(new IdentitySettings(
                    name,
                    accessKey,
                    Secret.of(secretKey),
                    List.of(allow).stream().map(AllowRule::parse).toList()));
            return this;
        }

        public Builder stalledReader(Duration time) {
            stalledReader = time;
            return this;
        }

        public Builder drain(Duration time) {
            drain = time;
            return this;
        }

        /** The cache stays its owner's. Without one every read is passed through. */
        public Builder cache(BlockCache blocks) {
            cache = Optional.of(blocks);
            return this;
        }

        /** For buckets that are added after this. */
        public Builder freshness(FreshnessSettings rule) {
            freshness = rule;
            return this;
        }

        /** For buckets that are added after this. */
        public Builder write(BucketSettings.WriteMode mode) {
            write = mode;
            return this;
        }

        /** For buckets that are added after this. */
        public Builder accessPolicies(BucketSettings.AccessPolicyMode rules) {
            accessPolicies = rules;
            return this;
        }

        /** For buckets that are added after this. */
        public Builder forwardUnknown(String... names) {
            forwardUnknown = List.of(names);
            return this;
        }

        /** For buckets that are added after this. */
        public Builder cors(CorsSettings... rules) {
            cors = List.of(rules);
            return this;
        }

        /** For buckets that are added after this. */
        public Builder caching(CacheRule... rules) {
            caching = List.of(rules);
            return this;
        }

        /** How long a client may send nothing. */
        public Builder idle(Duration time) {
            idle = time;
            return this;
        }

        public Builder clock(InstantSource source) {
            clock = source;
            return this;
        }

        public TestGateway start() {
            BucketRegistry views = new BucketRegistry(buckets, backends, SavingsLedger.free());
            Gate gate = new Gate(
                    new RequestVerifier(IdentityRegistry.of(identities), SignatureSettings.defaults(), clock),
                    new AccessPolicy(views::anonymousRights),
                    clock);
            Recorded recorded = new Recorded();
            CachedObjects objects = new CachedObjects(cache, clock);
            CorsRuleCache cors = new CorsRuleCache(views);
            ContinuationTokenSealer tokens = new ContinuationTokenSealer(new byte[ContinuationTokenSealer.KEY_BYTES]);
            S3RequestService service = new S3RequestService(
                    new BucketHostRule(Optional.of(DOMAIN)),
                    gate,
                    cors,
                    HandlerRegistry.of(gate, views, cors, objects, new FencedWrites(cache, objects), tokens),
                    recorded);
            S3Settings settings = new S3Settings(
                    "127.0.0.1",
                    0,
                    Optional.of(DOMAIN),
                    DataSize.parse("64KiB"),
                    idle,
                    stalledReader,
                    Duration.ZERO,
                    drain,
                    false,
                    SignatureSettings.defaults());
            S3Server server = new S3Server(settings, service);
            server.start();
            return new TestGateway(server, recorded);
        }
    }
}
