package io.millrace.gateway.s3.protocol;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.gateway.error.S3Exception;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Verifies the one rule that finds the bucket in host or path. With two rules, policy and data could use different
 * buckets.
 */
class BucketHostRuleTest {
    private final BucketHostRule rule = new BucketHostRule(Optional.of("S3.Test"));

    @ParameterizedTest
    @CsvSource(
            nullValues = "-",
            value = {
                "a.s3.test,a",
                "A.S3.TEST:9080,a",
                "a.b.s3.test,a.b",
                ".s3.test,''",
                "a..s3.test,a.",
                "s3.test,-",
                "as3.test,-",
                "s3.test.a,-",
                "a.s3.test.,-",
                "localhost:9080,-",
                "127.0.0.1,-",
                "[::1]:80,-",
                "[::1],-"
            })
    void subdomainOfTheDomainIsTheBucket(String host, @Nullable String bucket) {
        assertThat(rule.bucket(List.of(host))).isEqualTo(Optional.ofNullable(bucket));
        assertThat(new BucketHostRule(Optional.empty()).bucket(List.of(host))).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"", " ", "a b", "a/b", "a@b", "a:", "a:x", "a:999999", "a,b", "[", "a\u00e4", "a?b", "a#b"})
    void refusesInvalidHosts(String host) {
        assertThatThrownBy(() -> rule.bucket(List.of(host))).isInstanceOf(S3Exception.class);
    }

    @Test
    void acceptsExactlyTheValidHostNames() {
        Pattern name = Pattern.compile("[A-Za-z0-9._-]{1,255}(:[0-9]{1,5})?");
        SplittableRandom random = new SplittableRandom(5);
        String letters = "aZ09._-::5/ @";
        for (int i = 0; i < 50_000; i++) {
            StringBuilder host = new StringBuilder("a".repeat(random.nextInt(3) == 0 ? 250 : 0));
            for (int length = random.nextInt(9); length > 0; length--) {
                host.append(letters.charAt(random.nextInt(letters.length())));
            }
            assertThat(BucketHostRule.isHost(host.toString()))
                    .as("%s", host)
                    .isEqualTo(name.matcher(host).matches());
        }
    }

    @Test
    void thereIsExactlyOne() {
        assertThatThrownBy(() -> rule.bucket(List.of())).isInstanceOf(S3Exception.class);
        assertThatThrownBy(() -> rule.bucket(List.of("a", "a"))).isInstanceOf(S3Exception.class);
    }
}
