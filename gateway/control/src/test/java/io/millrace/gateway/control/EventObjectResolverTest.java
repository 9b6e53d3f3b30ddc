package io.millrace.gateway.control;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.auth.policy.AllowRule;
import io.millrace.auth.policy.Authorizer;
import io.millrace.auth.policy.BucketPolicy;
import io.millrace.auth.policy.Principal;
import io.millrace.backend.spi.object.BucketName;
import io.millrace.backend.spi.object.ObjectKey;
import io.millrace.backend.testkit.Promise;
import io.millrace.backend.testkit.memory.InMemoryBackend;
import io.millrace.gateway.control.EventObjectResolver.AffectedObject;
import io.millrace.gateway.objects.bucket.BucketRegistry;
import io.millrace.gateway.objects.bucket.BucketSavingsRegistry;
import io.millrace.gateway.objects.bucket.BucketSettings;
import io.millrace.gateway.objects.bucket.BucketViews;
import io.millrace.gateway.objects.write.EventSequencerValue;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * Tests which objects an event concerns, that its order applies to one of them only, and that the sender may write
 * them.
 */
class EventObjectResolverTest {
    private static final Principal ADMIN = new Principal("admin", List.of(AllowRule.parse("*")));
    private static final Principal TENANT = new Principal("tenant", List.of(AllowRule.parse("write:tenant/*")));

    private final BucketRegistry buckets = new BucketRegistry(
            List.of(
                    entry("tenant", "one", "real", "tenant/"),
                    entry("mine", "one", "real", ""),
                    entry("also", "two", "real", ""),
                    entry("only", "one", "only", "")),
            Map.of("one", new InMemoryBackend(), "two", new InMemoryBackend()),
            BucketSavingsRegistry.free());

    @Promise("I4")
    @Test
    void orderIsOfTheDecodedKeyOnly() {
        assertThat(touched(ADMIN, Optional.of("one"), event("real", "a b", "a+b")))
                .extracting(
                        one -> one.object().key().value() + ' ' + one.order().isPresent())
                .containsExactly("a b true", "a+b false");
    }

    @Promise("I4")
    @Test
    void eventOfSeveralPossibleBackendsIsUnordered() {
        assertThat(touched(ADMIN, Optional.empty(), event("real", "a")))
                .extracting(
                        one -> one.bucket().backendName() + ' ' + one.order().isPresent())
                .containsExactly("one false", "two false");
        assertThat(touched(ADMIN, Optional.of("two"), event("real", "a")))
                .allMatch(one -> one.order().isPresent())
                .hasSize(1);
        assertThat(touched(ADMIN, Optional.empty(), event("only", "a")))
                .allMatch(one -> one.order().isPresent())
                .hasSize(1);
    }

    @Test
    void senderAffectsOnlyObjectsBelowItsPrefix() {
        assertThat(touched(TENANT, Optional.of("one"), event("real", "tenant/a")))
                .extracting(AffectedObject::object)
                .allMatch(object -> object.key().value().equals("tenant/a"))
                .hasSize(1);
        assertThat(touched(TENANT, Optional.of("two"), event("real", "tenant/a"))
                        .isEmpty())
                .isTrue();
    }

    @Test
    void ignoresKeysThatLeaveThePrefix() {
        BucketRegistry confined = new BucketRegistry(
                List.of(entry("tenant", "one", "real", "tenant/")),
                Map.of("one", new InMemoryBackend()),
                BucketSavingsRegistry.free());

        assertThat(new EventObjectResolver(confined, authorizer(), TENANT, Optional.empty())
                        .findAffected(event("real", "tenant/../other/a")))
                .isEmpty();
    }

    private Collection<AffectedObject> touched(Principal who, Optional<String> backend, EventNotification.Event event) {
        try {
            return new EventObjectResolver(buckets, authorizer(), who, backend).findAffected(event);
        } catch (ApiException refused) {
            assertThat(refused.problem().status()).isEqualTo(403);
            return List.of();
        }
    }

    private static Authorizer authorizer() {
        return new Authorizer(name -> BucketPolicy.NONE);
    }

    private static EventNotification.Event event(String bucket, String... keys) {
        return new EventNotification.Event(
                "detail",
                bucket,
                Stream.of(keys).map(ObjectKey::new).toList(),
                Optional.empty(),
                Optional.of(new EventSequencerValue("1", "")));
    }

    private static BucketSettings entry(String name, String backend, String real, String prefix) {
        return BucketViews.settings(name, backend, Optional.of(new BucketName(real)), prefix);
    }
}
