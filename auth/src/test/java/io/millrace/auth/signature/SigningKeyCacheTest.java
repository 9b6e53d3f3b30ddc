package io.millrace.auth.signature;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.auth.CredentialScope;
import io.millrace.auth.SigningKey;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests that a key is derived once for its owner and scope, and never given for another. */
class SigningKeyCacheTest {
    private final SigningKeyCache keys = new SigningKeyCache(8);
    private final SigningKey first = keys.get("Aa", "secret", new CredentialScope("Aa", "Aa", "s3"));

    @Test
    void keyIsDerivedOnce() {
        assertThat(keys.get("Aa", "secret", new CredentialScope("Aa", "Aa", "s3")))
                .isSameAs(first);
    }

    /** {@code Aa} and {@code BB} have the same hash code, so that only the comparison tells them apart. */
    @ParameterizedTest
    @CsvSource({"BB, Aa, Aa, s3", "Aa, BB, Aa, s3", "Aa, Aa, BB, s3", "Aa, Aa, Aa, sts"})
    void keyOfAnotherOwnerOrScopeIsAnother(String owner, String date, String region, String service) {
        CredentialScope scope = new CredentialScope(date, region, service);

        assertThat(keys.get(owner, "secret", scope)).isNotSameAs(first).isSameAs(keys.get(owner, "secret", scope));
        assertThat(keys.get("Aa", "secret", new CredentialScope("Aa", "Aa", "s3")))
                .isSameAs(first);
    }
}
