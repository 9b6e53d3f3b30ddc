package io.millrace.gateway.read;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.millrace.backend.spi.object.HeaderList;
import io.millrace.backend.spi.object.ObjectKey;
import io.millrace.backend.testkit.data.DifficultKeys;
import io.millrace.backend.testkit.data.GeneratedBytes;
import io.millrace.gateway.testkit.RawClient;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import software.amazon.awssdk.services.s3.model.EncodingType;
import software.amazon.awssdk.services.s3.model.S3Exception;
import software.amazon.awssdk.services.s3.model.S3Object;

/** Keys are bytes: each goes through untouched, is told from every other, and is listed in the order of its bytes. */
interface ReadKeyCases extends EndpointReadCases {
    @Test
    default void tortureListIsReadAndListed() throws IOException {
        String bucket = newBucket();
        List<String> keys = new ArrayList<>();
        for (ObjectKey key : DifficultKeys.keys().stream().sorted().toList()) {
            boolean below = keys.stream().anyMatch(held -> key.value().startsWith(held + "/"));
            boolean fits = has(OriginFixture.Trait.ANY_NAME) || !below; // a server over folders would fail, slowly
            if (fits && origin().canHold(key.value()) && isHeld(bucket, key.value())) {
                keys.add(key.value());
            }
        }
        assertThat(keys).hasSizeGreaterThan(300);

        try (RawClient client = new RawClient(gateway().port())) {
            for (String key : keys) {
                RawClient.Response response = client.send(wire().request("GET", RawResponse.path(bucket, key)));

                assertThat(response.status()).as("%s: %s", key, response.text()).isEqualTo(200);
                assertThat(response.bytes()).as(key).isEqualTo(content(key));
            }
        }
        int pageSize = has(OriginFixture.Trait.ANY_NAME) ? 97 : 1000; // LocalStack loses odd names between pages
        List<String> listed = sdk()
                .listObjectsV2Paginator(
                        list -> list.bucket(bucket).maxKeys(pageSize).encodingType(EncodingType.URL))
                .contents()
                .stream()
                .map(S3Object::key)
                .toList();
        assertThat(listed).hasSameSizeAs(keys);
        if (has(OriginFixture.Trait.ANY_NAME)) {
            assertThat(listed).isEqualTo(keys);
        }
    }

    /** The slash may come encoded or not, and every other byte as well: it is the same key. */
    @ParameterizedTest
    @ValueSource(strings = {"d/k e.y", "d%2Fk%20e.y", "%64/%6b%20e%2Ey", "d%2fk%20e%2ey"})
    default void everySpellingOfAKeyIsThatKey(String spelling) throws IOException {
        seeded("d/k e.y", 30);

        RawClient.Response response = wire().get("/" + bucket() + "/" + spelling.replace(" ", "%20"));

        assertThat(response.bytes()).isEqualTo(GeneratedBytes.of("d/k e.y").first(30));
    }

    @Test
    default void listsKeysInUtf8Order() throws IOException {
        assumeTrue(has(OriginFixture.Trait.ANY_NAME), "has an order of its own");
        String[] keys = {"a", "z", "\u00E9", "\u0800", "\uD7FF", "\uE000", "\uFF5E", "\uD800\uDC00", "\uD83D\uDE00"};
        String bucket = bucketOf(keys);

        assertThat(ParsedListing.of(wire().get("/" + bucket + "?list-type=2")).keys())
                .containsExactly(keys);
        assertThat(ParsedListing.of(wire().get("/" + bucket)).keys()).containsExactly(keys);
        assertThat(ParsedListing.of(wire().get("/" + bucket + "?list-type=2&start-after=%EF%BD%9E"))
                        .keys())
                .containsExactly("\uD800\uDC00", "\uD83D\uDE00");
    }

    @Test
    default void listsKeysWithXmlCharacters() throws IOException {
        String[] keys = {"\"q\"", "&amp;", "'", "<a>&b</a>", "]]>", "tab\tline\ncr\r", "\u0085\u2028"};
        String bucket = bucketOf(keys);

        assertThat(ParsedListing.of(wire().get("/" + bucket + "?list-type=2")).keys())
                .containsExactly(keys);
        assertThat(ParsedListing.of(wire().get("/" + bucket)).keys()).containsExactly(keys);
        assertThat(sdk().listObjectsV2(list -> list.bucket(bucket)).contents().stream()
                        .map(S3Object::key))
                .containsExactly(keys);
    }

    /**
     * XML 1.0 cannot say them; S3 writes the reference all the same, and clients that want the key ask for its
     * encoding.
     */
    @Test
    default void keysWithControlCharactersAreListed() throws IOException {
        assumeTrue(has(OriginFixture.Trait.ANY_NAME), "lists others in their place");
        String bucket = bucketOf("\u0001", "a\u001Fb\u007F");

        RawClient.Response plain = wire().get("/" + bucket + "?list-type=2");
        ParsedListing encoded = ParsedListing.of(wire().get("/" + bucket + "?list-type=2&encoding-type=url"));

        assertThat(plain.text()).contains("<Key>&#x1;</Key>").contains("<Key>a&#x1f;b&#x7f;</Key>");
        assertThat(encoded.keys()).containsExactly("%01", "a%1Fb%7F");
    }

    /** Stores it; a server that takes names for paths may refuse one beside another. */
    private boolean isHeld(String bucket, String key) throws IOException {
        try {
            origin().put(bucket, key, content(key), HeaderList.EMPTY);
            return true;
        } catch (S3Exception refused) {
            if (has(OriginFixture.Trait.ANY_NAME)) {
                throw refused;
            }
            return false;
        }
    }

    private static byte[] content(String key) {
        return GeneratedBytes.of(key).first(EndpointReadCases.sizeOf(key));
    }
}
