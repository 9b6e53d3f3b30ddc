package io.millrace.gateway.jobs;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.backend.spi.ObjectHead;
import io.millrace.backend.spi.object.HeaderList;
import io.millrace.backend.spi.object.ObjectVersion;
import io.millrace.gateway.jobs.plan.UrlListEntry;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

/** Trusting headers too much accepts wrong bytes; trusting them too little refuses right ones. */
class DownloadMetadataTest {
    private static final String SHA256 = "47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=";

    @Test
    void acceptsOnlyDigestOfTheBytes() {
        assertThat(object("http://h/a", "digest", "id-sha-256=" + SHA256).sums())
                .isEmpty();
        assertThat(object("http://h/a", "digest", "md5=abc,SHA-256=" + SHA256).sums())
                .hasSize(1);
        assertThat(object("http://h/a", "repr-digest", "sha-512=:abc=:, sha-256=:" + SHA256 + ":")
                        .sums())
                .hasSize(1);
    }

    @Test
    void sizeAloneDoesNotIdentifyQuery() {
        for (String url : List.of("http://h/a", "http://h/a?page=1")) {
            DownloadMetadata bare = object(url, "x-nothing", "");
            ObjectHead kept = new ObjectHead(
                    ObjectVersion.ofETag(Optional.empty(), 10, Optional.empty()),
                    Optional.empty(),
                    Optional.empty(),
                    bare.fields());

            assertThat(bare.isThatOf(kept)).isEqualTo(!url.contains("?"));
        }
    }

    @Test
    void dateIdentifiesContentWithoutETag() {
        DownloadMetadata first = object("http://h/a", "last-modified", "Wed, 21 Oct 2026 07:28:00 GMT");

        assertThat(first.isOneWith(first)).isTrue();
        assertThat(first.isOneWith(object("http://h/a", "last-modified", "Thu, 22 Oct 2026 07:28:00 GMT")))
                .isFalse();
        assertThat(object("http://h/a", "etag", "W/\"1\"").isOneWith(object("http://h/a", "etag", "W/\"2\"")))
                .isFalse();
        assertThat(first.isOneWith(object("http://h/a", "x-nothing", ""))).isTrue();
    }

    private static DownloadMetadata object(String line, String field, String value) {
        return new DownloadMetadata(
                UrlListEntry.parse(line), HeaderList.EMPTY.with(field, value), OptionalLong.of(10), true);
    }
}
