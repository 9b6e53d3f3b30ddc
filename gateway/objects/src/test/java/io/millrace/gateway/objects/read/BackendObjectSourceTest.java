package io.millrace.gateway.objects.read;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.BackendException.FailureKind;
import io.millrace.backend.spi.GatewayHops;
import io.millrace.backend.spi.HeadResult;
import io.millrace.backend.spi.ObjectContent;
import io.millrace.backend.spi.ReadRequest;
import io.millrace.backend.spi.ReadRequest.ByteSelection;
import io.millrace.backend.spi.TierRequest;
import io.millrace.backend.spi.object.BucketName;
import io.millrace.backend.spi.object.ByteRange;
import io.millrace.backend.spi.object.ETag;
import io.millrace.backend.spi.object.ObjectKey;
import io.millrace.backend.spi.object.ObjectRef;
import io.millrace.backend.spi.object.ObjectVersion;
import io.millrace.backend.spi.object.RangeSpec;
import io.millrace.backend.testkit.BufferLeakExtension;
import io.millrace.backend.testkit.PassingBackend;
import io.millrace.cache.fill.UnopenedFetchException;
import io.millrace.cache.metadata.ObjectId;
import io.millrace.config.DataSize;
import io.millrace.gateway.objects.bucket.BucketViews;
import io.millrace.gateway.objects.bucket.CacheRule;
import io.millrace.gateway.objects.bucket.KeyPattern;
import io.millrace.kit.share.Party;
import io.netty.util.ReferenceCountUtil;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import reactor.core.publisher.Mono;

/** What the cache asks a backend for, for whom, and what becomes of failures. */
@ExtendWith(BufferLeakExtension.class)
class BackendObjectSourceTest {
    private static final ObjectRef OBJECT = new ObjectRef(new BucketName("bucket"), new ObjectKey("k/5000"));
    private static final TierRequest CLIENT =
            new TierRequest(GatewayHops.NONE.with("hop"), true, Party.ofIdentity("alice"));
    private static final ObjectVersion VERSION =
            ObjectVersion.ofETag(Optional.of(ETag.strong("v0")), 5000, Optional.empty());

    private final ComputedBackend computed = new ComputedBackend();
    private final List<ReadRequest> requests = new CopyOnWriteArrayList<>();
    private final List<TierRequest> tiers = new CopyOnWriteArrayList<>();
    private final PassingBackend backend = new PassingBackend(computed) {
        @Override
        public Mono<HeadResult> head(ReadRequest request) {
            return recorded(request, super.head(request));
        }

        @Override
        public Mono<ObjectContent> open(ReadRequest request) {
            return recorded(request, super.open(request));
        }

        private <T> Mono<T> recorded(ReadRequest request, Mono<T> answer) {
            return Mono.deferContextual(context -> {
                requests.add(request);
                tiers.add(TierRequest.from(context));
                return answer;
            });
        }
    };

    @Test
    void requestsHaveTheClientsFactsAtThePaceOfTheCache() {
        BackendObjectSource source = source(ObjectId.current("backend", OBJECT), CLIENT);

        assertThat(source.party()).isEqualTo(Party.ofIdentity("alice").ofCache());
        source.head().block();
        source.open(new ByteSelection.WholeObject())
                .blockOptional()
                .orElseThrow()
                .discard();
        source.fetch(VERSION, new ByteRange(0, 9))
                .doOnNext(ReferenceCountUtil::release)
                .blockLast();

        assertThat(tiers).containsOnly(CLIENT.ofCache()).hasSize(3);
        assertThat(requests)
                .allMatch(ReadRequest::checksums)
                .allMatch(request -> request.versionId().isEmpty());
        ReadRequest fetched = requests.get(2);
        assertThat(fetched.selection()).isEqualTo(new ByteSelection.RangeSelection(new RangeSpec.Bounded(0, 9)));
        assertThat(fetched.requiredVersion()).contains(VERSION);
    }

    @Test
    void versionIsAskedForByItsId() {
        ObjectId id = new ObjectId("backend", OBJECT, Optional.of("version"));

        source(id, TierRequest.NONE).head().block();

        assertThat(requests.get(0).versionId()).contains("version");
    }

    @Test
    void rulesOfTheBucketSayWhatIsCached() {
        CacheRule small =
                new CacheRule(KeyPattern.parse("*"), true, Optional.empty(), Optional.of(DataSize.parse("4KiB")));
        BackendObjectSource source = new BackendObjectSource(
                BucketViews.of("bucket", backend, "bucket", "", List.of(small), BucketViews.FRESHNESS),
                ObjectId.current("backend", OBJECT));

        assertThat(source.isCacheable(4096)).isTrue();
        assertThat(source.isCacheable(4097)).isFalse();
    }

    @Test
    void responseOfAnotherLengthIsRefused() {
        ObjectRef shorter = new ObjectRef(new BucketName("bucket"), new ObjectKey("k/5"));
        BackendObjectSource source = source(ObjectId.current("backend", shorter), TierRequest.NONE);
        ObjectVersion version = ObjectVersion.ofETag(Optional.of(ETag.strong("v0")), 5, Optional.empty());

        BackendException failure = catchThrowableOfType(
                BackendException.class,
                () -> source.fetch(version, new ByteRange(0, 9)).blockLast());

        assertThat(failure.kind()).isEqualTo(FailureKind.INVALID_RESPONSE);
        assertThat(failure).hasMessageContaining("5 bytes instead of 10");
    }

    /** What the backend's own retries have tried is not tried again at once. */
    @ParameterizedTest
    @EnumSource(
            value = FailureKind.class,
            names = {"UNAVAILABLE", "THROTTLED", "BUSY", "VERSION_CHANGED", "ACCESS_DENIED"})
    void failureOfATriedRequestIsMarked(FailureKind kind) {
        SwitchedBackend failing = new SwitchedBackend(computed);
        failing.fail(new BackendException(kind, "no"));
        BackendObjectSource source = new BackendObjectSource(
                BucketViews.of("bucket", failing, "bucket", ""), ObjectId.current("backend", OBJECT));

        BackendException failure = catchThrowableOfType(
                BackendException.class,
                () -> source.fetch(VERSION, new ByteRange(0, 9)).blockLast());

        assertThat(failure.kind()).isEqualTo(kind);
        assertThat(failure instanceof UnopenedFetchException)
                .isEqualTo(kind != FailureKind.VERSION_CHANGED && kind != FailureKind.ACCESS_DENIED);
    }

    private BackendObjectSource source(ObjectId id, TierRequest tier) {
        return new BackendObjectSource(BucketViews.of("bucket", backend, "bucket", ""), id, tier);
    }
}
