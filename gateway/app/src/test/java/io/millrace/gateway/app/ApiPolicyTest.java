package io.millrace.gateway.app;

import static io.millrace.gateway.app.ApiServer.ADMIN;
import static io.millrace.gateway.app.ApiServer.ALICE;
import static io.millrace.gateway.app.ApiServer.API;
import static io.millrace.gateway.app.ApiServer.BOB;
import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.gateway.app.ApiServer.Caller;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/** Tests that the policies of a bucket hold for the API and for jobs, with the connection that a request comes from. */
class ApiPolicyTest {
    private static final String PREFETCH =
            "{\"kind\":\"prefetch\",\"from\":{\"bucket\":\"data\",\"keys\":[\"o-01\",\"o-02\"]}}";

    @TempDir
    Path folder;

    @Test
    void connectionThatAPolicyDeniesIsRefused() throws Exception {
        try (ApiServer server = start("'Bool': { 'aws:SecureTransport': 'false' }", "arn:aws:s3:::data/*")) {
            assertThat(server.get(ALICE, API + "/explain?bucket=data&key=o-01").status())
                    .isEqualTo(403);
            assertThat(server.post(ALICE, API + "/jobs", PREFETCH).status()).isEqualTo(403);
            assertThat(server.get(BOB, API + "/explain?bucket=data&key=o-01").status())
                    .isEqualTo(200);
        }
        try (ApiServer server = start("'IpAddress': { 'aws:SourceIp': '127.0.0.0/8' }", "*")) {
            assertThat(server.get(ALICE, API + "/explain?bucket=data&key=o-01").status())
                    .isEqualTo(403);
            assertThat(server.get(ALICE, API + "/residency?bucket=data").status())
                    .isEqualTo(403);
            assertThat(buckets(server, ALICE)).doesNotContain("\"data\"");
            assertThat(buckets(server, BOB)).contains("\"data\"");
        }
    }

    /** A denial of one object, which the listing of a prefix does not show to be denied. */
    @Test
    void jobFailsOnObjectsThatAPolicyDenies() throws Exception {
        try (ApiServer server = start("'Null': { 'aws:CurrentTime': 'false' }", "arn:aws:s3:::data/o-07")) {
            String job = server.post(
                            ALICE,
                            API + "/jobs",
                            "{\"kind\":\"prefetch\",\"from\":{\"bucket\":\"data\",\"prefix\":\"\"}}")
                    .field("id");

            assertThat(server.awaitEnd(job).json().path("progress").toString()).contains("\"failed\":1");
            assertThat(server.get(ALICE, API + "/jobs/" + job + "/failures").text())
                    .contains("o-07", "AccessDenied");
        }
    }

    @Test
    void administratorsReadTheStatementsOfPolicies() throws Exception {
        String statements =
                "{ \"Effect\": \"Allow\", \"NotAction\": \"s3:Delete*\", \"NotResource\": \"arn:aws:s3:::data/x/*\" },"
                        .repeat(59);
        Path own = Files.writeString(
                folder.resolve("own.json"),
                "{ \"Version\": \"2012-10-17\", \"Statement\": [ " + statements.substring(0, statements.length() - 1)
                        + " ] }");
        try (ApiServer server = start(
                "'Bool': { 'aws:SecureTransport': 'false' }",
                "arn:aws:s3:::data/*",
                "- { name: many, access-key: MANY001, secret-key: MANY001-secret, policies: [ %s ] }".formatted(own))) {
            JsonNode found = server.get(ADMIN, API + "/identities").json();

            JsonNode ofBucket = found.path("buckets").path(0);
            assertThat(ofBucket.path("policyStatements").asInt()).isEqualTo(1);
            assertThat(ofBucket.path("statements").toString())
                    .isEqualTo("[{\"name\":\"policy.json, statement 1\",\"effect\":\"Deny\","
                            + "\"principals\":[\"arn:aws:iam::000000000000:user/alice\"],"
                            + "\"actions\":[\"*\"],\"notActions\":[],"
                            + "\"resources\":[\"arn:aws:s3:::data/*\"],\"notResources\":[],\"conditional\":true}]");
            JsonNode many = found.path("identities")
                    .valueStream()
                    .filter(one -> one.path("name").asString().equals("many"))
                    .findFirst()
                    .orElseThrow();
            assertThat(many.path("policyStatements").asInt()).isEqualTo(59);
            assertThat(many.path("statements").size()).isEqualTo(50);
            assertThat(many.path("statements").path(0).toString())
                    .isEqualTo("{\"name\":\"own.json, statement 1\",\"effect\":\"Allow\",\"principals\":[],"
                            + "\"actions\":[],\"notActions\":[\"s3:Delete*\"],"
                            + "\"resources\":[],\"notResources\":[\"arn:aws:s3:::data/x/*\"],\"conditional\":false}");
        }
    }

    private static String buckets(ApiServer server, Caller caller) throws Exception {
        return server.get(caller, API + "/buckets").text();
    }

    /** Starts a gateway whose bucket denies Alice all of a resource under a condition. */
    private ApiServer start(String condition, String resource) throws Exception {
        return start(condition, resource, "");
    }

    private ApiServer start(String condition, String resource, String more) throws Exception {
        String json = """
                { "Version": "2012-10-17", "Statement":
                  { "Effect": "Deny", "Principal": { "AWS": "arn:aws:iam::000000000000:user/alice" },
                    "Action": "*", "Resource": "%s", "Condition": { %s } } }
                """.formatted(resource, condition.replace('\'', '"'));
        Path place = Files.createTempDirectory(folder, "gateway");
        Path file = Files.writeString(place.resolve("policy.json"), json);
        return ApiServer.start(place, "{ name: data, backend: local, policy: %s }".formatted(file), more);
    }
}
