package io.millrace.gateway.fuzz;

import io.millrace.auth.IdentityRegistry;
import io.millrace.auth.IdentitySettings;
import io.millrace.auth.SignatureSettings;
import io.millrace.auth.policy.AllowRule;
import io.millrace.auth.policy.Authorizer;
import io.millrace.auth.session.CredentialFinder;
import io.millrace.auth.session.StsSettings;
import io.millrace.auth.signature.RequestVerifier;
import io.millrace.config.Secret;
import io.millrace.gateway.objects.bucket.AnonymousAccess;
import io.millrace.gateway.objects.bucket.BucketPattern;
import io.millrace.gateway.objects.bucket.BucketRegistry;
import io.millrace.gateway.objects.bucket.BucketSavingsRegistry;
import io.millrace.gateway.objects.bucket.BucketSettings;
import io.millrace.gateway.objects.bucket.BucketViews;
import io.millrace.gateway.objects.derived.ArchiveIndexes;
import io.millrace.gateway.objects.derived.MemberViews;
import io.millrace.gateway.objects.read.CurrentObjectFinder;
import io.millrace.gateway.objects.read.HeadPrefetcher;
import io.millrace.gateway.objects.read.ObjectSourceFactory;
import io.millrace.gateway.objects.write.FencedWrites;
import io.millrace.gateway.s3.bucket.ContinuationTokenSealer;
import io.millrace.gateway.s3.bucket.CorsRuleCache;
import io.millrace.gateway.s3.bucket.GuessLimiter;
import io.millrace.gateway.s3.bucket.ReadBucketFinder;
import io.millrace.gateway.s3.gate.S3RequestAuthorizer;
import io.millrace.gateway.s3.observe.RequestRecord;
import io.millrace.gateway.s3.observe.RequestRecorder;
import io.millrace.gateway.s3.protocol.BucketHostRule;
import io.millrace.gateway.s3.protocol.UnverifiedRequestBody;
import io.millrace.gateway.s3.server.DirectExchange;
import io.millrace.gateway.s3.server.HandlerRegistry;
import io.millrace.gateway.s3.server.RequestService;
import io.millrace.gateway.s3.server.S3Responder;
import io.millrace.gateway.s3.sts.StsResponder;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.UnpooledByteBufAllocator;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import reactor.core.publisher.Flux;

/**
 * A gateway in memory. Its clock stands still. Buckets are on a near backend, but {@code far}; everybody may read and
 * list {@code open}. For one thread.
 */
final class FuzzedGateway {
    static final Instant NOW = Instant.parse("2026-11-20T12:00:00Z");
    static final String DOMAIN = "s3.test";

    private final UnpooledByteBufAllocator allocator = new UnpooledByteBufAllocator(false, true);
    private final List<FuzzRequest> requested = new ArrayList<>();
    private final Uploaded uploaded = new Uploaded();
    private final RecordingBackend near = new RecordingBackend(allocator, requested, uploaded);
    private final RecordingBackend far = new RecordingBackend(allocator, requested, uploaded);
    private final RequestService service = service();
    private Optional<RequestRecord> ended = Optional.empty();

    /** Whose signatures are right. */
    enum FuzzPrincipal {
        /** May do everything. */
        TRAINER("trainer/secret+1", "*"),
        /** May do it inside a wall. */
        NEIGHBOUR("neighbour", "read,list,write,delete:wall/in/* read,write:far/in/*");

        private final String secret;

        /** With blanks between them. */
        private final String allow;

        FuzzPrincipal(String secret, String allow) {
            this.secret = secret;
            this.allow = allow;
        }

        String secret() {
            return secret;
        }

        private IdentitySettings settings() {
            List<AllowRule> rules =
                    List.of(allow.split(" ", -1)).stream().map(AllowRule::parse).toList();
            return new IdentitySettings(name(), name(), Secret.of(secret), rules);
        }
    }

    /** What a browser's rules are at the backend. */
    void tellRules(String document) {
        near.tellRules(document);
    }

    /**
     * Serves a request whose body comes in these pieces.
     *
     * @throws AssertionError if it keeps a buffer
     */
    Served serve(Input input, List<String> pieces) {
        requested.clear();
        uploaded.clear();
        ended = Optional.empty();
        boolean lengthIsKnown = input.all("transfer-encoding").isEmpty();
        Input whole = input.without("content-length");
        boolean announce = lengthIsKnown && !input.body().isEmpty();
        Input sent = announce ? whole.with("content-length", "" + input.body().length()) : whole;
        Flux<ByteBuf> body = Flux.fromIterable(pieces).map(this::buffer);
        DirectExchange.Reply reply = DirectExchange.serve(
                service,
                sent.method(),
                sent.target(),
                sent,
                new UnverifiedRequestBody(lengthIsKnown ? input.body().length() : -1, body));
        long kept = allocator.metric().usedHeapMemory() + allocator.metric().usedDirectMemory();
        if (kept != 0) {
            throw new AssertionError(kept + " bytes were not released");
        }
        return new Served(reply, ended, List.copyOf(requested), uploaded.isBegun(), uploaded.text(), uploaded.stored());
    }

    /** The same in one piece. */
    Served serve(Input input) {
        return serve(input, input.body().isEmpty() ? List.of() : List.of(input.body()));
    }

    private ByteBuf buffer(String piece) {
        byte[] bytes = piece.getBytes(StandardCharsets.ISO_8859_1);
        return allocator.heapBuffer(bytes.length).writeBytes(bytes);
    }

    private RequestService service() {
        BucketRegistry views = new BucketRegistry(
                List.of(bucket("open", "near", "read,list"), bucket("far", "far", "none"), bucket("*", "near", "none")),
                Map.of("near", near, "far", far),
                BucketSavingsRegistry.free());
        InstantSource clock = InstantSource.fixed(NOW);
        IdentityRegistry identities = IdentityRegistry.of(List.of(FuzzPrincipal.values()).stream()
                .map(FuzzPrincipal::settings)
                .toList());
        S3RequestAuthorizer gate = new S3RequestAuthorizer(
                new RequestVerifier(identities, SignatureSettings.defaults(), clock),
                new Authorizer(views::policyOf),
                clock);
        CurrentObjectFinder objects = new CurrentObjectFinder(Optional.empty(), ObjectSourceFactory.BACKENDS, clock);
        CorsRuleCache cors = new CorsRuleCache(views, Duration.ofSeconds(1), GuessLimiter.unlimited());
        return new RequestService(
                new S3Responder(
                        new BucketHostRule(Optional.of(DOMAIN)),
                        gate,
                        cors,
                        List.of(new StsResponder(
                                new StsSettings(false, Optional.empty(), List.of(), List.of()),
                                CredentialFinder.of(identities, clock),
                                Optional.empty(),
                                SignatureSettings.defaults(),
                                Optional.empty(),
                                clock)),
                        HandlerRegistry.of(
                                gate,
                                views,
                                new ReadBucketFinder(
                                        views, new MemberViews(objects, new ArchiveIndexes(Optional.empty()))),
                                cors,
                                objects,
                                new HeadPrefetcher(Optional.empty(), ObjectSourceFactory.BACKENDS, clock),
                                new FencedWrites(Optional.empty(), objects),
                                new ContinuationTokenSealer(new byte[ContinuationTokenSealer.KEY_BYTES]),
                                Instant.EPOCH)),
                new Recorded());
    }

    private static BucketSettings bucket(String pattern, String backend, String anonymous) {
        return new BucketSettings(
                BucketPattern.parse(pattern),
                backend,
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                "",
                AnonymousAccess.parse(anonymous),
                Optional.empty(),
                BucketSettings.WriteMode.FILL,
                BucketSettings.AccessPolicyMode.REFUSE,
                List.of(),
                List.of(),
                List.of(),
                BucketViews.FRESHNESS,
                Optional.empty(),
                false,
                Optional.empty(),
                List.of(),
                Optional.empty());
    }

    private final class Recorded implements RequestRecorder {
        @Override
        public void started() {}

        @Override
        public void ended(RequestRecord request) {
            ended = Optional.of(request);
        }
    }
}
