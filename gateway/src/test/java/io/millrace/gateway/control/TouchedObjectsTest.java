package io.millrace.gateway.control;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.auth.AccessPolicy;
import io.millrace.auth.AllowRule;
import io.millrace.auth.Principal;
import io.millrace.backend.spi.BucketName;
import io.millrace.backend.spi.ObjectKey;
import io.millrace.backend.testkit.InMemoryBackend;
import io.millrace.gateway.bucket.BucketSettings;
import io.millrace.gateway.bucket.Buckets;
import io.millrace.gateway.bucket.Views;
import io.millrace.gateway.control.TouchedObjects.Touched;
import io.millrace.gateway.freshness.EventOrder;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** An event is about what it may be about, and no more: its order is of one object, and who tells it must be allowed to write that. */
class TouchedObjectsTest {
    private static final Principal ADMIN = new Principal("admin", List.of(AllowRule.parse("*")));
    private static final Principal TENANT = new Principal("tenant", List.of(AllowRule.parse("write:tenant/*")));

    private final Buckets buckets = new Buckets(
            List.of(
                    entry("tenant", "one", "real", "tenant/"),
                    entry("mine", "one", "real", ""),
                    entry("also", "two", "real", ""),
                    entry("only", "one", "only", "")),
            Map.of("one", new InMemoryBackend(), "two", new InMemoryBackend()));

    @Test
    void orderIsOfTheDecodedKeyOnly() {
        assertThat(touched(ADMIN, Optional.of("one"), event("real", "a b", "a+b")))
                .extracting(
                        one -> one.object().key().value() + ' ' + one.order().isPresent())
                .containsExactly("a b true", "a+b false");
    }

    @Test
    void eventThatSeveralBackendsMayHaveSentHasNoOrder() {
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
    void whoMayWriteBelowAPrefixTellsNothingBesideIt() {
        assertThat(touched(TENANT, Optional.of("one"), event("real", "tenant/a")))
                .extracting(Touched::object)
                .allMatch(object -> object.key().value().equals("tenant/a"))
                .hasSize(1);
        assertThat(touched(TENANT, Optional.of("two"), event("real", "tenant/a"))
                        .isEmpty())
                .isTrue();
    }

    @Test
    void keyThatLeadsOutOfAPrefixIsPassedOver() {
        Buckets confined =
                new Buckets(List.of(entry("tenant", "one", "real", "tenant/")), Map.of("one", new InMemoryBackend()));

        assertThat(new TouchedObjects(confined, policy(), TENANT, Optional.empty())
                        .by(event("real", "tenant/../other/a")))
                .isEmpty();
    }

    private Collection<Touched> touched(Principal who, Optional<String> backend, Notification.Event event) {
        try {
            return new TouchedObjects(buckets, policy(), who, backend).by(event);
        } catch (ApiException refused) {
            assertThat(refused.problem().status()).isEqualTo(403);
            return List.of();
        }
    }

    private static AccessPolicy policy() {
        return new AccessPolicy(name -> Set.of());
    }

    private static Notification.Event event(String bucket, String... keys) {
        return new Notification.Event(
                "detail",
                bucket,
                Stream.of(keys).map(ObjectKey::new).toList(),
                Optional.empty(),
                Optional.of(new EventOrder("1", "")));
    }

    private static BucketSettings entry(String name, String backend, String real, String prefix) {
        return Views.settings(name, backend, Optional.of(new BucketName(real)), prefix);
    }
}
