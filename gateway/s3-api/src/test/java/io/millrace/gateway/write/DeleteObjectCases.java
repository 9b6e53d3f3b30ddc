package io.millrace.gateway.write;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.gateway.testkit.RawClient;
import java.io.IOException;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import software.amazon.awssdk.services.s3.model.DeleteObjectsResponse;
import software.amazon.awssdk.services.s3.model.DeletedObject;
import software.amazon.awssdk.services.s3.model.ObjectIdentifier;

/** Deletes, one by one and many at once: what was deleted is gone for every reader, and nothing else is. */
interface DeleteObjectCases extends EndpointWriteCases {
    @Test
    default void deletedObjectIsMissingAtOnce() throws IOException {
        storedAndRead("gone", "gone", 1000);

        assertThat(send(SignedWriteRequest.of("DELETE", target("gone"))).status())
                .isEqualTo(204);

        assertAbsent("gone");
        assertThat(send(SignedWriteRequest.of("DELETE", target("gone"))).status())
                .isEqualTo(204);
    }

    @Test
    default void batchDeleteSucceedsForMissingKeys() throws IOException {
        for (String key : List.of("many/a", "many/b&<c>", "many/\u00E4")) {
            storedAndRead(key, key, 10);
        }
        byte[] kept = stored("many/kept", "kept", 10);

        DeleteObjectsResponse deleted = sdk().deleteObjects(delete -> delete.bucket(bucket())
                .delete(all -> all.objects(Stream.of("many/a", "many/b&<c>", "many/\u00E4", "many/never")
                        .map(key -> ObjectIdentifier.builder().key(key).build())
                        .toList())));

        assertThat(deleted.deleted().stream().map(DeletedObject::key))
                .containsExactlyInAnyOrder("many/a", "many/b&<c>", "many/\u00E4", "many/never");
        assertThat(deleted.errors()).isEmpty();
        for (String key : List.of("many/a", "many/b&<c>", "many/\u00E4")) {
            assertAbsent(key);
        }
        assertHolds("many/kept", kept);
    }

    @Test
    default void quietReportsOnlyOfFailures() throws IOException {
        stored("quiet", "quiet", 10);

        RawClient.Response response = deleteAll("<Quiet>true</Quiet>" + object("quiet"));

        assertThat(response.status()).as(response.text()).isEqualTo(200);
        assertThat(response.text()).doesNotContain("<Deleted>").contains("DeleteResult");
        assertAbsent("quiet");
    }

    @Test
    default void batchDeleteTakesAThousandKeysAtMost() throws IOException {
        stored("thousand/7", "7", 10);
        String thousand =
                IntStream.range(0, 1000).mapToObj(i -> object("thousand/" + i)).collect(Collectors.joining());

        EndpointWriteCases.assertError(deleteAll(thousand + object("thousand/1000")), 400, "MalformedXML");
        assertThat(get("thousand/7").status()).isEqualTo(200);

        RawClient.Response response = deleteAll(thousand);
        assertThat(response.status()).as(response.text()).isEqualTo(200);
        assertThat(response.text().split("<Deleted>", -1)).hasSize(1001);
        assertAbsent("thousand/7");
    }

    @Test
    default void eachKeyIsDeletedOnlyIfTheCallerMay() throws IOException {
        stored("free/one", "one", 10);
        byte[] locked = stored("locked/two", "two", 10);
        stored("free/three", "three", 10);

        RawClient.Response response = send(SignedWriteRequest.of("POST", "/" + bucket() + "?delete")
                .by(RESTRICTED_KEY, RESTRICTED_SECRET)
                .body("<Delete>" + object("free/one") + object("locked/two") + object("free/three") + "</Delete>"));

        assertThat(response.status()).as(response.text()).isEqualTo(200);
        assertThat(response.text().split("<Deleted>", -1)).hasSize(3);
        assertThat(response.text().split("<Error>", -1)).hasSize(2);
        assertThat(response.text())
                .containsSubsequence("<Error>", "<Key>locked/two</Key>", "<Code>AccessDenied</Code>");
        assertAbsent("free/one");
        assertAbsent("free/three");
        assertHolds("locked/two", locked);
    }

    @Test
    default void aDocumentThatCameBrokenDeletesNothing() throws IOException {
        byte[] bytes = stored("survivor", "survivor", 10);
        String document = "<Delete>" + object("survivor") + "</Delete>";

        EndpointWriteCases.assertError(
                send(SignedWriteRequest.of("POST", "/" + bucket() + "?delete")
                        .body(document)
                        .with("Content-MD5: " + TestChecksum.md5(new byte[1]))),
                400,
                "BadDigest");
        EndpointWriteCases.assertError(
                send(SignedWriteRequest.of("POST", "/" + bucket() + "?delete")
                        .body(document)
                        .with(TestChecksum.CRC32.line(new byte[1]))),
                400,
                "BadDigest");

        assertHolds("survivor", bytes);
    }

    static Stream<String> documentsThatAreNone() {
        String deep = "<a>".repeat(50) + "</a>".repeat(50);
        return Stream.of(
                "",
                "no xml",
                "<Delete/>",
                "<Delete></Delete>",
                "<Delete><Object></Object></Delete>",
                "<Delete><Object><Key></Key></Object></Delete>",
                "<Other>" + object("survivor") + "</Other>",
                "<Delete>" + object("survivor"),
                "<Delete>" + object("survivor") + "</Delete><Delete/>",
                "<!DOCTYPE Delete [<!ENTITY a \"survivor\">]><Delete><Object><Key>&a;</Key></Object></Delete>",
                "<!DOCTYPE Delete SYSTEM \"http://127.0.0.1:1/x.dtd\"><Delete>" + object("survivor") + "</Delete>",
                "<!DOCTYPE Delete [<!ENTITY a SYSTEM \"file:///etc/passwd\">]><Delete><Object><Key>&a;</Key></Object>"
                        + "</Delete>",
                "<!DOCTYPE Delete [<!ENTITY % a SYSTEM \"http://127.0.0.1:1/x\"> %a;]><Delete>" + object("survivor")
                        + "</Delete>",
                billionLaughs(),
                "<Delete><Object><Key>&undeclared;</Key></Object></Delete>",
                "<Delete>" + object("survivor") + deep + "</Delete>",
                "<Delete>" + "<a/>".repeat(200_000) + object("survivor") + "</Delete>");
    }

    @ParameterizedTest
    @MethodSource("documentsThatAreNone")
    default void aDocumentThatIsNoneDeletesNothing(String document) throws IOException {
        byte[] bytes = stored("survivor", "survivor", 10);

        RawClient.Response response =
                send(SignedWriteRequest.of("POST", "/" + bucket() + "?delete").body(document));

        EndpointWriteCases.assertError(response, 400, "MalformedXML");
        assertThat(response.text()).doesNotContain("root:");
        assertHolds("survivor", bytes);
    }

    @Test
    default void refusesTooLargeDocumentByItsHeaders() throws IOException {
        SignedWriteRequest ask = SignedWriteRequest.of("POST", "/" + bucket() + "?delete")
                .with("Content-Length: 100000000", "Expect: 100-continue");

        try (RawClient client = new RawClient(gateway().port())) {
            EndpointWriteCases.assertError(client.send(ask.head()), 400, "MalformedXML");
        }
    }

    private RawClient.Response deleteAll(String content) throws IOException {
        return send(SignedWriteRequest.of("POST", "/" + bucket() + "?delete")
                .body("<Delete xmlns=\"http://s3.amazonaws.com/doc/2006-03-01/\">" + content + "</Delete>"));
    }

    private static String object(String key) {
        return "<Object><Key>" + key + "</Key></Object>";
    }

    private static String billionLaughs() {
        StringBuilder entities = new StringBuilder("<!ENTITY l0 \"ha\">");
        for (int i = 1; i < 10; i++) {
            entities.append("<!ENTITY l" + i + " \"" + ("&l" + (i - 1) + ";").repeat(10) + "\">");
        }
        return "<!DOCTYPE Delete [" + entities + "]><Delete><Object><Key>&l9;</Key></Object></Delete>";
    }
}
