package io.millrace.gateway.write;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.backend.testkit.BufferLeakExtension;
import io.millrace.gateway.read.FolderOriginFixture;
import io.millrace.gateway.testkit.RawClient;
import io.millrace.gateway.testkit.TestGateway;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The name of a copy's source is a second target inside a header, where other gateways decoded once for the policy and
 * once more for the disk. However it is spelt, nobody copies what he may not read.
 */
@ExtendWith(BufferLeakExtension.class)
class CopySourceTest {
    private static final String SECRET = "the content of the vault";

    @TempDir
    static Path folder;

    @SuppressWarnings("NullAway.Init")
    private static TestGateway gateway;

    @SuppressWarnings("NullAway.Init")
    private static FolderOriginFixture origin;

    /** Who copies; none of them may read the vault. */
    enum Copier {
        /** All rights on a bucket of his own. */
        OWNER("owner", "list,read,write,delete,admin:own"),
        /** May write anywhere and read only his own bucket. */
        WRITER("writer", "write:*", "read:own"),
        /** May write into the vault, and list it. */
        KEEPER("keeper", "write,list,delete:vault", "list,read,write:own"),
        /** May read one key of the vault that begins as the secret one does. */
        NEIGHBOUR("neighbour", "read:vault/secre", "read:vault/secret/*", "read,write,list:own");

        private final String name;
        /** With blanks between them. */
        private final String allow;

        Copier(String name, String... allow) {
            this.name = name;
            this.allow = String.join(" ", allow);
        }
    }

    @BeforeAll
    static void start() throws IOException {
        origin = FolderOriginFixture.at(folder);
        TestGateway.Builder builder = TestGateway.builder().bucket("*", origin.backend());
        for (Copier copier : Copier.values()) {
            builder.identity(copier.name, copier.name(), "secret-of-" + copier.name, copier.allow.split(" ", -1));
        }
        gateway = builder.start();
        for (String bucket : List.of("vault", "own")) {
            origin.createBucket(bucket);
        }
        put("/vault/secret", SECRET);
        put("/own/open", "open");
    }

    @AfterAll
    static void stop() {
        gateway.close();
        origin.close();
    }

    @Test
    void thereAreSpellingsEnough() {
        assertThat(spellings()).hasSizeGreaterThan(200);
    }

    @ParameterizedTest
    @EnumSource
    void noSpellingReadsAForeignBucket(Copier copier) throws IOException {
        int refused = 0;
        try (RawClient client = new RawClient(gateway.port())) {
            for (String spelling : spellings()) {
                SignedWriteRequest ask =
                        as(copier, SignedWriteRequest.of("PUT", "/own/target")).with("x-amz-copy-source: " + spelling);
                RawClient.Response response = client.send(ask.text());
                refused += response.status() >= 400 ? 1 : 0;
                assertThat(response.status())
                        .as("%s: %s", spelling, response.text())
                        .isLessThan(500);
                if (response.status() == 200) {
                    assertThat(client.send(SignedWriteRequest.get("/own/target").text())
                                    .text())
                            .as(spelling)
                            .isNotEqualTo(SECRET);
                }
            }
        }
        assertThat(refused).isGreaterThan(190);
    }

    @ParameterizedTest
    @EnumSource
    void noSpellingReadsAForeignBucketIntoAPart(Copier copier) throws IOException {
        String id = SignedWriteRequest.of("POST", "/own/parts?uploads")
                .send(gateway.port())
                .element("UploadId");
        try (RawClient client = new RawClient(gateway.port())) {
            for (String spelling : spellings()) {
                SignedWriteRequest ask = as(
                                copier, SignedWriteRequest.of("PUT", "/own/parts?partNumber=1&uploadId=" + id))
                        .with("x-amz-copy-source: " + spelling);
                RawClient.Response response = client.send(ask.text());
                assertThat(response.status())
                        .as("%s: %s", spelling, response.text())
                        .isLessThan(500);
                if (response.status() == 200) {
                    assertThat(response.element("ETag")).as(spelling).doesNotContain(tagOfTheSecret());
                }
            }
        }
        SignedWriteRequest.of("DELETE", "/own/parts?uploadId=" + id).send(gateway.port());
    }

    /** Else the cases above would pass whatever is refused. */
    @Test
    void theSameNamesReadWhereReadingIsAllowed() throws IOException {
        for (String spelling : List.of("vault/secret", "/vault/secret", "%2Fvault%2Fsecret", "/vault/%73ecret")) {
            RawClient.Response response = SignedWriteRequest.of("PUT", "/own/allowed")
                    .with("x-amz-copy-source: " + spelling)
                    .send(gateway.port());
            assertThat(response.status())
                    .as("%s: %s", spelling, response.text())
                    .isEqualTo(200);
            assertThat(SignedWriteRequest.get("/own/allowed")
                            .send(gateway.port())
                            .text())
                    .isEqualTo(SECRET);
        }
        for (Copier copier : Copier.values()) {
            RawClient.Response response = as(copier, SignedWriteRequest.of("PUT", "/own/target"))
                    .with("x-amz-copy-source: own/open")
                    .send(gateway.port());
            assertThat(response.status()).as("%s: %s", copier, response.text()).isEqualTo(200);
        }
    }

    /** The field may stand in the query of a presigned URL as well, and twice. */
    @Test
    void repeatedCopySourceIsNeverReadTwoWays() throws IOException {
        for (Copier copier : Copier.values()) {
            SignedWriteRequest ask = as(
                            copier, SignedWriteRequest.of("PUT", "/own/target?x-amz-copy-source=vault%2Fsecret"))
                    .with("x-amz-copy-source: own/open");
            RawClient.Response response = ask.send(gateway.port());
            if (response.status() == 200) {
                assertThat(SignedWriteRequest.get("/own/target")
                                .send(gateway.port())
                                .text())
                        .isEqualTo("open");
            }
            assertThat(as(copier, SignedWriteRequest.of("PUT", "/own/target?x-amz-copy-source=vault%2Fsecret"))
                            .send(gateway.port())
                            .status())
                    .isEqualTo(403);
        }
    }

    /** A presigned URL has it in its query; the bytes of its text are what counts there, as in a field. */
    @Test
    void decodesCopySourceOfTheQueryOnce() throws IOException {
        put("/own/%C3%A9", "e with an accent");
        put("/own/%C3%83%C2%A9", "what that looks like in another encoding");

        assertThat(SignedWriteRequest.of("PUT", "/own/target?x-amz-copy-source=own%2F%C3%83%C2%A9")
                        .send(gateway.port())
                        .status())
                .isEqualTo(200);
        assertThat(SignedWriteRequest.get("/own/target").send(gateway.port()).text())
                .isEqualTo("what that looks like in another encoding");
    }

    private static SignedWriteRequest as(Copier copier, SignedWriteRequest ask) {
        return ask.by(copier.name(), "secret-of-" + copier.name);
    }

    private static String tagOfTheSecret() {
        return java.util.HexFormat.of()
                .formatHex(PayloadSigning.digest("MD5", SECRET.getBytes(StandardCharsets.UTF_8)));
    }

    private static void put(String target, String content) throws IOException {
        assertThat(SignedWriteRequest.of("PUT", target)
                        .body(content)
                        .send(gateway.port())
                        .status())
                .isEqualTo(200);
    }

    /** In a query a line may end; read as one tag, a list would be a condition that always holds. */
    @ParameterizedTest
    @ValueSource(strings = {"a%0Ab", "%22a%0D%22", "%7F", "%22a%22%2C%22b%22"})
    void refusesInvalidCopySourceConditions(String tag) throws IOException {
        for (String condition : List.of("match", "none-match")) {
            RawClient.Response response = SignedWriteRequest.of(
                            "PUT", "/own/conditional?x-amz-copy-source-if-" + condition + "=" + tag)
                    .with("x-amz-copy-source: own/open")
                    .send(gateway.port());

            assertThat(response.status()).as(response.text()).isEqualTo(501);
        }
        assertThat(SignedWriteRequest.get("/own/conditional")
                        .send(gateway.port())
                        .status())
                .isEqualTo(404);
    }

    @Test
    void refusesEmptyVersionIdOfACopySource() throws IOException {
        RawClient.Response response = SignedWriteRequest.of("PUT", "/own/unnamed")
                .with("x-amz-copy-source: own/open?versionId=")
                .send(gateway.port());

        EndpointWriteCases.assertError(response, 400, "InvalidArgument");
    }

    /** Ways to say vault/secret, or what somebody might take for it. */
    private static Set<String> spellings() {
        Set<String> all = new LinkedHashSet<>();
        for (String slash :
                List.of("/", "%2F", "%2f", "%252F", "//", "\\", "%5C", "%c0%af", "/./", "/%2e/", "/x/../")) {
            for (String lead :
                    List.of("", "/", "%2F", "//", "./", "/own/../", "own/../", "own/%2e%2e/", "own%2F..%2F")) {
                all.add(lead + "vault" + slash + "secret");
            }
        }
        List<String> plain = List.of("vault/secret", "/vault/secret");
        for (String name : plain) {
            for (String end : List.of(
                    "?",
                    "?versionId=",
                    "?versionId=null",
                    "?versionId=1",
                    "?x=y",
                    "?versionid=null",
                    "#",
                    "#x",
                    "%00",
                    "%00/own/open",
                    "%20",
                    "/",
                    "/.",
                    "/..",
                    "/../secret",
                    ";a=b",
                    "?versionId=null?versionId=null",
                    "?versionId=%6eull",
                    "&versionId=null",
                    "%3FversionId=null")) {
                all.add(name + end);
            }
            all.add(name);
            all.add(percent(name));
            all.add(percent(name).replace("%", "%25"));
            all.add(name.replace("v", "%76"));
            all.add(name.replace("s", "%73"));
            all.add(name.toUpperCase(java.util.Locale.ROOT));
            all.add(name.replace("vault", "VAULT"));
            all.add(name.replace("vault", "Vault"));
            all.add(name.replace("secret", "secre/../secret"));
            all.add(name.replace("secret", "secret/../secret"));
            all.add(name.replace("secret", "secre%74"));
            all.add("http://127.0.0.1/" + name);
            all.add("s3://" + name);
            all.add("arn:aws:s3:::" + name);
            all.add("arn:aws:s3:us-east-1:1:accesspoint/vault/object/secret");
            all.add("\t" + name);
            all.add(name + ",own/open");
            all.add("own/open," + name);
            all.add("own/open?versionId=../../" + name);
            all.add("own/open%00" + name);
            all.add("own/../../" + name);
            all.add("own/" + "../".repeat(20) + folder + "/" + name);
            all.add(folder + "/" + name);
            all.add("../" + name);
            all.add("..%2F" + name);
            all.add("%2e%2e/" + name);
        }
        for (String other : List.of(
                "vault",
                "/vault",
                "vault/",
                "/vault/",
                "",
                "/",
                "//",
                "/%",
                "%",
                "%zz",
                "vault%",
                "vault/%ff",
                "vault /secret",
                "vault%20/secret",
                "vault./secret",
                ".vault/secret",
                "vault/secret%",
                "vault/ secret",
                "vault/+secret",
                "va%75lt/secret",
                "vault%2Fsecret%3FversionId%3Dnull",
                "\u0001vault/secret")) {
            all.add(other);
        }
        List<String> sendable = new ArrayList<>();
        all.forEach(spelling -> sendable.add(spelling.strip()));
        return new LinkedHashSet<>(
                sendable.stream().filter(s -> s.indexOf(1) < 0).toList());
    }

    private static String percent(String name) {
        StringBuilder encoded = new StringBuilder();
        name.chars().forEach(c -> encoded.append("%%%02x".formatted(c)));
        return encoded.toString();
    }
}
