package io.millrace.gateway.objects.read;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Directives of requests are read as RFC 9111 has them; what is wrong or unknown has no effect. */
class RequestCacheControlTest {
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "''                           | false | false |",
                "public, max-stale=5, min     | false | false |",
                "only-if-cached               | true  | false |",
                "ONLY-IF-CACHED, no-store     | true  | true  |",
                "no-store                     | false | true  |",
                "no-cache                     | false | false | 0",
                "max-age=60                   | false | false | 60",
                "Max-Age=\"60\"               | false | false | 60",
                "max-age=60, max-age=30       | false | false | 30",
                "max-age=30, max-age=60       | false | false | 30",
                "no-cache, max-age=60         | false | false | 0",
                "max-age=-5                   | false | false | 0",
                "max-age=soon                 | false | false |",
                "max-age=7, max-age=soon      | false | false | 7",
                "max-age                      | false | false |"
            })
    void directivesAreReadFromAllValues(String text, boolean onlyIfCached, boolean noStore, @Nullable Long maxAge) {
        RequestCacheControl expected = new RequestCacheControl(
                onlyIfCached, noStore, maxAge == null ? OptionalLong.empty() : OptionalLong.of(maxAge));

        assertThat(RequestCacheControl.parse(List.of(text))).isEqualTo(expected);
        assertThat(RequestCacheControl.parse(List.of(text.split(",", -1)))).isEqualTo(expected);
    }

    @Test
    void withoutAHeaderThereAreNone() {
        assertThat(RequestCacheControl.parse(List.of())).isSameAs(RequestCacheControl.NONE);
        assertThat(RequestCacheControl.NONE.accepts(Long.MAX_VALUE)).isTrue();
        assertThat(RequestCacheControl.NONE.accepts(-1)).isTrue();
        assertThat(RequestCacheControl.NONE.requiresRevalidation()).isFalse();
    }

    @Test
    void ageIsAcceptedUntilItReachesItsBound() {
        RequestCacheControl bounded = RequestCacheControl.parse(List.of("max-age=2"));

        assertThat(bounded.accepts(0)).isTrue();
        assertThat(bounded.accepts(1_999)).isTrue();
        assertThat(bounded.accepts(2_000)).isFalse();
        assertThat(bounded.accepts(-1)).as("a clock was set back").isFalse();
        assertThat(bounded.requiresRevalidation()).isFalse();
    }

    @Test
    void revalidationIsRequiredBesidesTheOthers() {
        RequestCacheControl strict =
                RequestCacheControl.parse(List.of("only-if-cached, no-store")).requiringRevalidation();

        assertThat(strict).isEqualTo(new RequestCacheControl(true, true, OptionalLong.of(0)));
        assertThat(strict.requiresRevalidation()).isTrue();
        assertThat(strict.accepts(0)).isFalse();
    }
}
