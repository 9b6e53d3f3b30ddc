package io.millrace.gateway.objects.read;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.BackendException.FailureKind;
import io.millrace.backend.spi.TierResponse;
import io.millrace.gateway.objects.read.CacheStatus.Forward;
import java.time.Duration;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** A status is the field that RFC 9211 defines, and one result for the meters. */
class CacheStatusHeaderTest {
    private static final OptionalLong NO_AGE = OptionalLong.empty();

    static Stream<Arguments> statuses() {
        CacheStatus stale = CacheStatus.ofForwarded(Forward.STALE);
        CacheStatus collapsed = new CacheStatus(Forward.STALE, true, false, NO_AGE, NO_AGE, "");
        return Stream.of(
                Arguments.of(CacheStatus.hitForEver(7_000), "millrace; hit", CacheResult.HIT, NO_AGE),
                Arguments.of(CacheStatus.hit(3), "millrace; hit; ttl=3", CacheResult.HIT, NO_AGE),
                Arguments.of(CacheStatus.hit(0, 7_000), "millrace; hit; ttl=0", CacheResult.HIT, NO_AGE),
                Arguments.of(CacheStatus.hit(-1, 7000), "millrace; hit; ttl=-1", CacheResult.STALE, OptionalLong.of(7)),
                Arguments.of(CacheStatus.hit(-1, 7001), "millrace; hit; ttl=-1", CacheResult.STALE, OptionalLong.of(8)),
                Arguments.of(CacheStatus.hit(-1, 0), "millrace; hit; ttl=-1", CacheResult.STALE, OptionalLong.of(0)),
                Arguments.of(CacheStatus.miss(false), "millrace; fwd=miss; stored", CacheResult.MISS, NO_AGE),
                Arguments.of(
                        CacheStatus.miss(true), "millrace; fwd=miss; collapsed; stored", CacheResult.COLLAPSED, NO_AGE),
                Arguments.of(
                        CacheStatus.miss(true).notStored(),
                        "millrace; fwd=miss; collapsed",
                        CacheResult.COLLAPSED,
                        NO_AGE),
                Arguments.of(stale, "millrace; fwd=stale; stored", CacheResult.STALE, NO_AGE),
                Arguments.of(stale.notStored(), "millrace; fwd=stale", CacheResult.STALE, NO_AGE),
                Arguments.of(collapsed, "millrace; fwd=stale; collapsed", CacheResult.STALE, NO_AGE),
                Arguments.of(CacheStatus.BYPASS, "millrace; fwd=bypass", CacheResult.BYPASS, NO_AGE));
    }

    @ParameterizedTest
    @MethodSource("statuses")
    void statusIsAFieldAndAResult(CacheStatus status, String header, CacheResult result, OptionalLong shownAge) {
        assertThat(status.toHeader()).isEqualTo(header);
        assertThat(status.result()).isEqualTo(result);
        assertThat(status.shownAge()).isEqualTo(shownAge);
    }

    @Test
    void gatewaysBeforeThisOneAreReportedFirst() {
        CacheStatus own = CacheStatus.ofForwarded(Forward.STALE);

        CacheStatus old = own.through(Optional.of(new TierResponse("far; hit", Duration.ofSeconds(9))));
        CacheStatus fresh =
                CacheStatus.hit(-1, 4_000).through(Optional.of(new TierResponse("far; fwd=miss", Duration.ZERO)));

        assertThat(old.toHeader()).isEqualTo("far; hit, millrace; fwd=stale; stored");
        assertThat(old.shownAge()).hasValue(9);
        assertThat(fresh.shownAge()).as("its own").hasValue(4);
        assertThat(own.through(Optional.of(new TierResponse("far; hit", Duration.ofMillis(9))))
                        .ageMillis())
                .hasValue(9);
        assertThat(own.through(Optional.empty())).isSameAs(own);
    }

    @Test
    void failureHasTheStatusThatItHadFirst() {
        BackendException down = new BackendException(FailureKind.UNAVAILABLE, "503");

        BackendException first = CacheStatus.BYPASS.addTo(down);

        assertThat(((BackendReadException) first).status()).isSameAs(CacheStatus.BYPASS);
        assertThat(first.kind()).isEqualTo(FailureKind.UNAVAILABLE);
        assertThat(CacheStatus.miss(true).addTo(first)).isSameAs(first);
    }
}
