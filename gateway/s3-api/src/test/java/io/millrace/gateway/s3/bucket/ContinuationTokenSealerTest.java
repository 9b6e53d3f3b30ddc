package io.millrace.gateway.s3.bucket;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.backend.spi.Backend;
import io.millrace.backend.testkit.memory.InMemoryBackend;
import io.millrace.gateway.objects.bucket.BucketView;
import io.millrace.gateway.objects.bucket.BucketViews;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Verifies that clients can neither read nor forge continuation tokens. */
class ContinuationTokenSealerTest {
    private static final Backend BACKEND = new InMemoryBackend();
    private static final BucketView BELOW = view("public", "real", "tenant-7/");
    private static final String TOKEN = "ktenant-7/last-key-\u00e4";

    private final ContinuationTokenSealer tokens = new ContinuationTokenSealer(key(1));

    @Test
    void opensSealedTokensAfterARestart() {
        String sealed = tokens.seal(BELOW, TOKEN);

        assertThat(tokens.open(BELOW, sealed)).contains(TOKEN);
        assertThat(new ContinuationTokenSealer(key(1)).open(BELOW, sealed)).contains(TOKEN);
        assertThat(tokens.open(BELOW, tokens.seal(BELOW, ""))).contains("");
    }

    @Test
    void aSealedTokenReportsNothing() {
        String sealed = tokens.seal(BELOW, TOKEN);

        assertThat(sealed).doesNotContain("tenant").isNotEqualTo(tokens.seal(BELOW, TOKEN));
        assertThat(new String(Base64.getUrlDecoder().decode(sealed), StandardCharsets.ISO_8859_1))
                .doesNotContain("tenant");
    }

    @Test
    void noBitOfItCanBeChanged() {
        byte[] sealed = Base64.getUrlDecoder().decode(tokens.seal(BELOW, TOKEN));
        for (int bit = 0; bit < 8 * sealed.length; bit++) {
            byte[] forged = sealed.clone();
            forged[bit / 8] ^= (byte) (1 << bit % 8);
            assertThat(tokens.open(BELOW, Base64.getUrlEncoder().encodeToString(forged)))
                    .isEmpty();
        }
    }

    @Test
    void itIsGoodForItsBucketOnly() {
        String sealed = tokens.seal(BELOW, TOKEN);

        assertThat(tokens.open(view("other", "real", "tenant-7/"), sealed)).isEmpty();
        assertThat(tokens.open(view("public", "reel", "tenant-7/"), sealed)).isEmpty();
        assertThat(tokens.open(view("public", "real", "tenant-8/"), sealed)).isEmpty();
        assertThat(new ContinuationTokenSealer(key(2)).open(BELOW, sealed)).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"", "a", "not base64!", "ktenant-7/last-key", "a3RlbmFudC03L2xhc3Qta2V5", "AAAAAAAAAAAAAAAAAAAA"
            })
    void refusesForeignTokens(String token) {
        assertThat(tokens.open(BELOW, token)).isEmpty();
    }

    @Test
    void withoutAPrefixThereIsNothingToHide() {
        BucketView whole = view("public", "real", "");

        assertThat(tokens.seal(whole, TOKEN)).isEqualTo(TOKEN);
        assertThat(tokens.open(whole, TOKEN)).contains(TOKEN);
    }

    @ParameterizedTest
    @ValueSource(strings = {"last\u0001", "last\uFFFF", "last ", "last\n", "~", "~bGFzdA"})
    void tokenThatXmlWouldChangeIsEncoded(String token) {
        BucketView whole = view("public", "real", "");
        String sealed = tokens.seal(whole, token);

        assertThat(sealed).matches("~[A-Za-z0-9_-]+");
        assertThat(tokens.open(whole, sealed)).contains(token);
        assertThat(tokens.open(whole, "~no base64!")).isEmpty();
    }

    @Test
    void aKeyOfAnotherLengthIsRefused() {
        assertThatThrownBy(() -> new ContinuationTokenSealer(new byte[16]))
                .isInstanceOf(IllegalArgumentException.class);
    }

    private static BucketView view(String name, String real, String prefix) {
        return BucketViews.of(name, BACKEND, real, prefix);
    }

    private static byte[] key(int fill) {
        byte[] key = new byte[ContinuationTokenSealer.KEY_BYTES];
        key[0] = (byte) fill;
        return key;
    }
}
