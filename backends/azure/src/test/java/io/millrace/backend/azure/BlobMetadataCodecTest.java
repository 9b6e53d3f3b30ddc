package io.millrace.backend.azure;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.backend.spi.object.HeaderList.HeaderField;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class BlobMetadataCodecTest {
    private static final String TOKEN = "!#$%&'*+-.^_`|~0123456789abcdefghijklmnopqrstuvwxyz";

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            colour          | red         | colour                        | red
            _under_score    | x           | _under_score                  | x
            my-colour       | red         | millrace_n_my_2dcolour        | red
            7up             | yes         | millrace_n_7up                | yes
            my_-dash        | red         | millrace_n_my_5f_2ddash       | red
            millrace_n_x    | forged      | millrace_n_millrace_5fn_5fx   | forged
            colour          | gr\u00fcn   | millrace_v_colour             | =gr%FCn
            colour          | 'two  odd'  | millrace_v_colour             | =two%20%20odd
            colour          | ''          | millrace_v_colour             | =
            """)
    void metadataHasNamesThatAreIdentifiers(String name, String value, String storedName, String storedValue) {
        HeaderField header = new HeaderField("x-amz-meta-" + name, value);

        HeaderField stored = BlobMetadataCodec.ofUser(header);

        assertThat(stored).isEqualTo(new HeaderField("x-ms-meta-" + storedName, storedValue));
        assertThat(BlobMetadataCodec.decode(stored)).contains(header);
    }

    @Test
    void everyNameAndValueComesBack() {
        Random random = new Random(7);
        for (int i = 0; i < 20_000; i++) {
            HeaderField header = new HeaderField("x-amz-meta-" + name(random), value(random));

            HeaderField stored = BlobMetadataCodec.ofUser(header);

            assertThat(stored.name().substring("x-ms-meta-".length())).matches("[A-Za-z_][A-Za-z0-9_]*");
            assertThat(stored.value()).matches("[!-~]+( [!-~]+)*");
            assertThat(BlobMetadataCodec.decode(stored)).contains(header);
        }
    }

    @Test
    void metadataOfOthersMeansItself() {
        assertThat(BlobMetadataCodec.decode(new HeaderField("x-ms-meta-My_2dName", "=50%")))
                .contains(new HeaderField("x-amz-meta-my_2dname", "=50%"));
        assertThat(BlobMetadataCodec.decode(new HeaderField("x-ms-meta-millrace_key", "=a")))
                .isEmpty();
    }

    @Test
    void headerWithoutAPropertyComesBack() {
        HeaderField expires = new HeaderField("expires", "Wed, 01 Dec 2094 16:00:00 GMT");

        assertThat(BlobMetadataCodec.decode(BlobMetadataCodec.ofHeader(expires)))
                .contains(expires);
    }

    private static String name(Random random) {
        StringBuilder name = new StringBuilder();
        int length = 1 + random.nextInt(12);
        for (int i = 0; i < length; i++) {
            name.append(TOKEN.charAt(random.nextInt(TOKEN.length())));
        }
        return name.toString();
    }

    private static String value(Random random) {
        StringBuilder value = new StringBuilder();
        int length = random.nextInt(12);
        for (int i = 0; i < length; i++) {
            value.append((char) (random.nextInt(4) == 0 ? 0xA1 + random.nextInt(0x5E) : ' ' + random.nextInt(95)));
        }
        return value.toString().strip();
    }
}
