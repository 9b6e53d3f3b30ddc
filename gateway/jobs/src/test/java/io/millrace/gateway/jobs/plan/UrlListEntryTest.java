package io.millrace.gateway.jobs.plan;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A misread list fills a bucket with wrong keys or accepts wrong bytes. */
class UrlListEntryTest {
    private static final String MD5 = "d41d8cd98f00b204e9800998ecf8427e";
    private static final String SHA256 = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "http://h/a/b.tar|b.tar|",
                "http://h/a/b%20c%C3%A9?x=y/z|b cé|",
                "  http://h/b \t k/l%20m+n |k/l m+n|",
                "http://h/b md5:" + MD5 + "|b|md5:1B2M2Y8AsgTpgAmY7PhCfg==",
                "http://h/b MD5:1B2M2Y8AsgTpgAmY7PhCfg== k crc32:00000000|k|md5:1B2M2Y8AsgTpgAmY7PhCfg=="
                        + " crc32:AAAAAA==",
                "http://h/b crc32c:AAAAAA==|b|crc32c:AAAAAA==",
                MD5 + "  http://h/b|b|md5:1B2M2Y8AsgTpgAmY7PhCfg==",
                SHA256 + " *http://h/b k|k|sha256:47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=",
                "http://h/b k:l|k:l|",
                "http://h/b md5%3Azz|md5:zz|",
                "http://h/b crc32c:AAAAAB==|b|crc32c:AAAAAA==",
            })
    void parsesUrlKeyAndChecksums(String line, String key, String sums) {
        UrlListEntry parsed = UrlListEntry.parse(line.replace("\\t", "\t"));

        assertThat(parsed.key().value()).isEqualTo(key);
        assertThat(parsed.sums().stream().map(ExpectedChecksum::toString).collect(Collectors.joining(" ")))
                .isEqualTo(sums == null ? "" : sums);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                MD5,
                "http://h/",
                "http://h/a k l",
                "http://h/a md5:zz k",
                "*http://h/a",
                MD5 + " " + MD5 + " http://h/a",
                "k http://h/a",
                "http://h/a %zz",
                "http://h/a sha256:" + MD5 + " k",
                // Taken as a key, this would skip the checksum check.
                "http://h/a sha256:" + MD5,
                "http://h/a SHA256:" + SHA256 + "0",
                "http://h/a md5:1B2M2Y8AsgTpgAmY7PhCfg",
                "http://h/a crc32:",
                "http://h/a %ff",
                "http://h/a %ed%a0%80",
            })
    void refusesInvalidLine(String line) {
        assertThatThrownBy(() -> UrlListEntry.parse(line)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void templateKeyBeginsAtSegmentOfFirstCounter() {
        UrlTemplate template = UrlTemplate.parse("https://h:81/a%20b/c/part-{08..10}/x%20y-{0..1}.tar?sig=a/b");

        assertThat(template.names().count()).isEqualTo(6);
        UrlListEntry line = UrlListEntry.parse(template.line(3));
        assertThat(line.url()).hasToString("https://h:81/a%20b/c/part-09/x%20y-1.tar?sig=a/b");
        assertThat(line.key().value()).isEqualTo("part-09/x y-1.tar");
    }
}
