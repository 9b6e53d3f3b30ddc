package io.millrace.gateway.sts;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.nimbusds.jose.JWSAlgorithm;
import com.nimbusds.jose.jwk.RSAKey;
import com.nimbusds.jose.jwk.gen.RSAKeyGenerator;
import com.nimbusds.jwt.JWTClaimsSet;
import com.nimbusds.jwt.PlainJWT;
import io.millrace.auth.session.BearerTokens;
import io.millrace.auth.session.PendingSignIn;
import io.millrace.auth.session.SignInClient;
import io.millrace.auth.session.SignInSettings;
import io.millrace.auth.session.WebIdentityException;
import io.millrace.backend.testkit.Polling;
import io.millrace.backend.testkit.server.RecordedRequest;
import io.millrace.config.Secret;
import io.millrace.gateway.app.Gateway;
import io.millrace.gateway.app.MachineChecks;
import io.millrace.gateway.app.SettingsLoader;
import io.millrace.gateway.app.SettingsSource;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Date;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Tests that people get in at the console by an identity provider, with the rights of a role, and that nobody else
 * does.
 */
@Timeout(120)
class ConsoleSignInTest {
    private static final String CALLBACK = "/console/sign-in/callback";
    private static final String URL = "http://127.0.0.1:9081";
    private static final String SESSION = "millrace-session";
    private static final Map<String, String> OF_CONSOLE =
            Map.of("x-millrace-console", "1", "sec-fetch-site", "same-origin");

    /** Generated once: that takes longer than what many tests do. */
    private static RSAKey key;

    private static RSAKey otherKey;

    private final HttpClient client =
            HttpClient.newBuilder().followRedirects(HttpClient.Redirect.NEVER).build();

    @TempDir
    private static Path folder;

    private static final AtomicInteger ADDRESSES = new AtomicInteger(1);

    private static OidcServer provider;
    private static Gateway gateway;

    /** The address of this test's browser, as a proxy tells it: the rate of one is limited. */
    private final String address = "192.0.2." + ADDRESSES.getAndIncrement();

    @BeforeAll
    static void start() throws Exception {
        key = new RSAKeyGenerator(2048).keyID("first").generate();
        otherKey = new RSAKeyGenerator(2048).keyID("first").generate();
        provider = new OidcServer();
        provider.publish(key);
        Files.createDirectories(folder.resolve("objects/data"));
        Files.writeString(folder.resolve("objects/data/key"), "content");
        Path file = folder.resolve("millrace.yaml");
        Files.writeString(file, settings(provider.url(), URL));
        SettingsSource source = () -> SettingsLoader.ofFile(file, MachineChecks.inThisProcess());
        gateway = Gateway.start(source.load(), Optional.of(source));
    }

    @AfterAll
    static void stop() {
        gateway.close();
        provider.close();
    }

    private static String settings(String issuer, String url) {
        return """
                s3: { address: 127.0.0.1, port: 0, trusted-proxies: [ 127.0.0.1 ] }
                admin:
                  address: 127.0.0.1
                  port: 0
                  oidc:
                    issuer: "%2$s"
                    client-id: console
                    client-secret: hush
                    scopes: [ groups ]
                    roles: [ console-operator, console-viewer ]
                    name-claim: email
                    url: "%3$s"
                data: %1$s/data
                audit: { path: %1$s/audit.log }
                cache: { disks: [ { path: %1$s/cache, size: 64MiB } ], fill-memory: 64MiB }
                backends: { local: { type: file, path: %1$s/objects } }
                buckets: [ { name: data, backend: local } ]
                identities:
                - { name: admin, access-key: ADMIN01, secret-key: admin-secret, allow: "*" }
                - { name: alice, access-key: ALICE01, secret-key: alice-secret, allow: [ "read,list:data" ] }
                sts:
                  roles:
                  - { name: console-operator, issuer: "%2$s", claims: { groups: ops }, allow: [ "operate:*" ] }
                  - { name: console-viewer, issuer: "%2$s", claims: { groups: staff }, allow: [ "view:*" ] }
                """.formatted(folder, issuer, url);
    }

    @Test
    void personGetsASessionOfTheRoleThatTheClaimsMatch() throws Exception {
        HttpResponse<String> entered = signIn(claims("ada", "staff"));

        assertThat(entered.statusCode()).as(entered.body()).isEqualTo(303);
        assertThat(header(entered, "location")).isEqualTo("/console/");
        assertThat(entered.headers().allValues("set-cookie"))
                .anySatisfy(cookie -> assertThat(cookie)
                        .startsWith(SESSION + "=MRWB")
                        .containsIgnoringCase("; HttpOnly")
                        .contains("; Path=/", "; Max-Age=3", "; SameSite=Strict")
                        .doesNotContain("Domain"))
                .anySatisfy(cookie -> assertThat(cookie).startsWith("millrace-sign-in=;"));
        String session = cookie(entered, SESSION);
        assertThat(whoAmI(session).body())
                .isEqualTo("{\"name\":\"assumed-role/console-viewer/person:ada@example.org\",\"operator\":false,"
                        + "\"rights\":[\"view\"]}");
        assertThat(api("GET", "/status", session, OF_CONSOLE).statusCode()).isEqualTo(200);
        HttpResponse<String> refused = api("POST", "/invalidations", session, OF_CONSOLE);
        assertThat(refused.statusCode()).as(refused.body()).isEqualTo(403);
        Polling.until(
                "the sign-in is in the audit log",
                () -> Files.readString(folder.resolve("audit.log")).contains("MRWB"));
        assertThat(Files.readString(folder.resolve("audit.log")))
                .contains("GET " + CALLBACK, "assumed-role/console-viewer/person:ada@example.org")
                .doesNotContain("code-", session);

        String operator = cookie(signIn(claims("bo", "ops", "staff")), SESSION);
        assertThat(api("POST", "/invalidations", operator, OF_CONSOLE).statusCode())
                .isEqualTo(204);
        assertThat(api("GET", "/settings", operator, OF_CONSOLE).statusCode()).isEqualTo(403);
        HttpResponse<String> job = api("POST", "/jobs", operator, OF_CONSOLE);
        assertThat(job.statusCode()).as(job.body()).isEqualTo(201);
        assertThat(job.body()).contains("\"owner\":\"assumed-role/console-operator/person:bo@example.org\"");
        String id = job.body().replaceFirst(".*\"id\":\"([^\"]+)\".*", "$1");
        Polling.until(
                "the job of a person ends",
                () -> api("GET", "/jobs/" + id, session, OF_CONSOLE).body().contains("\"state\":\"done\""));
        assertThat(api("POST", "/jobs", session, OF_CONSOLE).statusCode()).isEqualTo(403);
    }

    @Test
    void browserIsSentToTheProviderAndNowhereElse() throws Exception {
        HttpResponse<String> begun = get("/console/sign-in?redirect_uri=http://evil.example&next=//evil.example", "");

        assertThat(begun.statusCode()).isEqualTo(302);
        URI location = URI.create(header(begun, "location"));
        assertThat(location.toString())
                .startsWith(provider.url() + "/authorize?")
                .doesNotContain("evil");
        assertThat(RecordedRequest.fields(location.getRawQuery()))
                .containsEntry("response_type", "code")
                .containsEntry("client_id", "console")
                .containsEntry("redirect_uri", URL + CALLBACK)
                .containsEntry("scope", "openid groups")
                .containsEntry("code_challenge_method", "S256")
                .hasEntrySatisfying("state", state -> assertThat(state).hasSize(43))
                .hasEntrySatisfying("nonce", nonce -> assertThat(nonce).hasSize(43))
                .hasEntrySatisfying(
                        "code_challenge", challenge -> assertThat(challenge).hasSize(43));
        assertThat(header(begun, "set-cookie"))
                .containsIgnoringCase("; HttpOnly")
                .contains("; SameSite=Lax", "; Max-Age=600");
        assertThat(header(begun, "cache-control")).isEqualTo("no-store");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "code=CODE",
                "code=CODE&state=",
                "code=CODE&state=STATEx",
                "code=CODE&state=STATE&state=STATE",
                "state=STATE",
                "code=&state=STATE",
                "error=access_denied&state=STATE",
                "code=unknown&state=STATE",
                "code=CODE&state=STATE&iss=http://other.example",
                "code=CODE&code=CODE&state=STATE"
            })
    void wrongCallbackGetsInNowhere(String query) throws Exception {
        Begun begun = begin();
        String code = provider.signIn(begun.parameters(), token(begun, claims("ada", "staff")));

        HttpResponse<String> refused =
                get(CALLBACK + '?' + query.replace("CODE", code).replace("STATE", begun.state()), begun.cookie());

        assertNotIn(refused);
    }

    /** The audit log knows a sign-in by its path. */
    @ParameterizedTest
    @ValueSource(
            strings = {"/console/sign-in/callb%61ck", "/console/sign-in/callback;a", "/console/sign-in;a/callback"})
    void otherSpellingOfThePathIsNoSignIn(String path) throws Exception {
        Begun begun = begin();
        String code = provider.signIn(begun.parameters(), token(begun, claims("ada", "staff")));

        HttpResponse<String> response = get(path + "?code=%s&state=%s".formatted(code, begun.state()), begun.cookie());

        assertThat(response.statusCode()).as(response.body()).isEqualTo(404);
        assertThat(response.headers().allValues("set-cookie")).noneMatch(cookie -> cookie.contains(SESSION));
    }

    @Test
    void unverifiedEmailIsNoName() throws Exception {
        String session = cookie(signIn(claims("ada", "staff").claim("email_verified", false)), SESSION);

        assertThat(whoAmI(session).body()).contains("/person:sub-").doesNotContain("ada@example.org");
    }

    @Test
    void neitherCodeNorStateIsGoodTwiceOrElsewhere() throws Exception {
        Begun begun = begin();
        String code = provider.signIn(begun.parameters(), token(begun, claims("ada", "staff")));
        Begun victim = begin();
        int before = provider.redemptions();
        String query = "?code=%s&state=%s";

        // Of another browser, which has begun a sign-in, too, or has not.
        assertNotIn(get(CALLBACK + query.formatted(code, begun.state()), ""));
        assertNotIn(get(CALLBACK + query.formatted(code, begun.state()), victim.cookie()));
        assertThat(provider.redemptions()).isEqualTo(before);
        // A foreign code with one's own state: the provider compares the verifier.
        assertNotIn(get(CALLBACK + query.formatted(code, victim.state()), victim.cookie()));

        Begun second = begin();
        String used = provider.signIn(second.parameters(), token(second, claims("ada", "staff")));
        assertThat(get(CALLBACK + query.formatted(used, second.state()), second.cookie())
                        .statusCode())
                .isEqualTo(303);
        int redemptions = provider.redemptions();
        assertNotIn(get(CALLBACK + query.formatted(used, second.state()), second.cookie()));
        assertThat(provider.redemptions()).isEqualTo(redemptions);
        Begun third = begin();
        assertNotIn(get(CALLBACK + query.formatted(used, third.state()), third.cookie()));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "nonce",
                "no nonce",
                "expired",
                "audience",
                "two audiences",
                "party",
                "issuer",
                "key",
                "none",
                "no role"
            })
    void wrongTokenGetsInNowhere(String flaw) throws Exception {
        Begun begun = begin();
        String code = provider.signIn(begun.parameters(), flawed(flaw, begun));
        int before = provider.redemptions();

        assertNotIn(get(CALLBACK + "?code=%s&state=%s".formatted(code, begun.state()), begun.cookie()));
        assertThat(provider.redemptions()).isEqualTo(before + 1);
    }

    private String flawed(String flaw, Begun begun) throws Exception {
        JWTClaimsSet.Builder claims =
                claims("ada", "staff").claim("nonce", begun.parameters().get("nonce"));
        return switch (flaw) {
            case "nonce" -> signed(claims.claim("nonce", begin().parameters().get("nonce")));
            case "no nonce" -> signed(claims.claim("nonce", null));
            case "expired" ->
                signed(claims.expirationTime(Date.from(Instant.now().minusSeconds(120))));
            case "audience" -> signed(claims.audience("another"));
            case "two audiences" -> signed(claims.audience(List.of("console", "another")));
            case "party" -> signed(claims.claim("azp", "another"));
            case "issuer" -> signed(claims.issuer("http://127.0.0.1:1"));
            case "key" -> OidcServer.signed(otherKey, JWSAlgorithm.RS256, claims.build());
            case "none" -> new PlainJWT(claims.build()).serialize();
            default -> signed(claims.claim("groups", List.of("guests")));
        };
    }

    @Test
    void unreachableProviderIsReported() {
        SignInSettings settings = new SignInSettings(
                URI.create("http://127.0.0.1:1"),
                "console",
                Optional.empty(),
                List.of(),
                List.of("viewer"),
                "sub",
                URI.create(URL));

        assertThatThrownBy(() -> new SignInClient(settings, InstantSource.system())
                        .authorizationUrl(PendingSignIn.start(Instant.now()))
                        .block())
                .isInstanceOfSatisfying(
                        WebIdentityException.class,
                        failure ->
                                assertThat(failure.reason()).isEqualTo(WebIdentityException.Reason.ISSUER_UNREACHABLE));
    }

    @Test
    void oneAddressBeginsFewSignInsAMinute() throws Exception {
        for (int i = 0; i < 30; i++) {
            assertThat(get("/console/sign-in", "").statusCode()).isEqualTo(302);
        }
        assertThat(get("/console/sign-in", "").statusCode()).isEqualTo(429);
    }

    /** The method, the headers that a browser adds, and the status of a request with the cookie. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "POST | x-millrace-console: 1, sec-fetch-site: same-origin | 204",
                "POST | x-millrace-console: 1, origin: SELF | 204",
                "POST | sec-fetch-site: same-origin, origin: SELF | 401",
                "POST | x-millrace-console: 0, origin: SELF | 401",
                "POST | x-millrace-console: 1 | 403",
                "POST | x-millrace-console: 1, sec-fetch-site: cross-site | 403",
                "POST | x-millrace-console: 1, sec-fetch-site: same-site, origin: SELF | 403",
                "POST | x-millrace-console: 1, sec-fetch-site: none | 403",
                "POST | x-millrace-console: 1, origin: http://127.0.0.1:9080 | 403",
                "POST | x-millrace-console: 1, origin: null | 403",
                "GET | x-millrace-console: 1 | 200",
                "GET | x-millrace-console: 1, sec-fetch-site: same-origin | 200",
                "GET | x-millrace-console: 1, sec-fetch-site: same-site | 403",
                "GET | x-millrace-console: 1, sec-fetch-site: none | 403",
                "GET | sec-fetch-site: same-origin | 401"
            })
    void cookieCountsInRequestsOfTheConsoleOnly(String method, String headers, int status) throws Exception {
        String session = cookie(signIn(claims("bo", "ops")), SESSION);
        HttpRequest.Builder request = HttpRequest.newBuilder(
                        uri("/api/v1" + (method.equals("GET") ? "/whoami" : "/invalidations")))
                .header("cookie", SESSION + '=' + session);
        for (String header : headers.split(", ", -1)) {
            String[] pair = header.split(": ", 2);
            request.header(pair[0], pair[1].replace("SELF", "http://127.0.0.1:" + gateway.adminPort()));
        }
        if (method.equals("POST")) {
            request.header("content-type", "application/json").POST(BodyPublishers.ofString("{\"bucket\":\"data\"}"));
        }

        HttpResponse<String> response = client.send(request.build(), BodyHandlers.ofString());

        assertThat(response.statusCode()).as(response.body()).isEqualTo(status);
    }

    @Test
    void otherOriginsGetNoPreflight() throws Exception {
        HttpRequest preflight = HttpRequest.newBuilder(uri("/api/v1/session"))
                .header("origin", "http://evil.example")
                .header("access-control-request-method", "DELETE")
                .header("access-control-request-headers", "x-millrace-console")
                .method("OPTIONS", BodyPublishers.noBody())
                .build();

        HttpResponse<String> response = client.send(preflight, BodyHandlers.ofString());

        assertThat(response.statusCode()).isEqualTo(401);
        assertThat(response.headers().map().keySet()).noneMatch(name -> name.startsWith("access-control-allow"));
    }

    @Test
    void signOutEndsTheSessionAndDeletesTheCookie() throws Exception {
        String session = cookie(signIn(claims("ada", "staff")), SESSION);
        String elsewhere = cookie(signIn(claims("ada", "staff")), SESSION);
        String withKeys = cookie(exchange("ADMIN01", "admin-secret", Duration.ofHours(1)), SESSION);

        HttpResponse<String> ended = api("DELETE", "/session", session, OF_CONSOLE);

        assertThat(ended.statusCode()).as(ended.body()).isEqualTo(204);
        assertThat(whoAmI(session).statusCode()).isEqualTo(401);
        assertThat(Files.readString(folder.resolve("data/revocations")))
                .contains(session.substring(0, session.indexOf('.')));
        assertThat(whoAmI(elsewhere).statusCode()).isEqualTo(200);
        assertThat(api("DELETE", "/session", withKeys, OF_CONSOLE).statusCode()).isEqualTo(204);
        assertThat(whoAmI(withKeys).statusCode()).isEqualTo(401);
        assertThat(ended.headers().allValues("set-cookie"))
                .anyMatch(cookie -> cookie.startsWith(SESSION + "=;") && cookie.contains("Max-Age=0"))
                .anyMatch(cookie -> cookie.startsWith("__Host-" + SESSION + "=;") && cookie.contains("Secure"));
    }

    @Test
    void sessionsOfPeopleEndWithTheSignInThatMadeThem() throws Exception {
        String person = cookie(signIn(claims("ada", "staff")), SESSION);
        String keys = cookie(exchange("ADMIN01", "admin-secret", Duration.ofHours(1)), SESSION);
        String settings = settings(provider.url(), URL);
        try {
            reload(settings.replaceFirst("(?s)  oidc:.*?(?=data:)", "")
                    .replace(
                            "  roles:\n",
                            "  issuers: [ { url: \"%s\", audience: millrace } ]\n  roles:\n"
                                    .formatted(provider.url())));
            assertThat(whoAmI(person).statusCode()).isEqualTo(401);
            assertThat(whoAmI(keys).statusCode()).isEqualTo(200);
            reload(settings("http://127.0.0.1:1", URL));
            assertThat(whoAmI(person).statusCode()).isEqualTo(401);
            reload(settings.replace("[ console-operator, console-viewer ]", "[ console-operator ]"));
            assertThat(whoAmI(person).statusCode()).isEqualTo(401);
        } finally {
            reload(settings);
        }
        assertThat(whoAmI(person).statusCode()).isEqualTo(200);
    }

    /** Whoever ends TLS in front of it need not say so in each request. */
    @Test
    void consoleAtAnHttpsUrlGivesSecureCookiesOnly() throws Exception {
        try {
            reload(settings(provider.url(), "https://millrace.example.org"));
            assertThat(cookie(signIn(claims("ada", "staff")), "__Host-" + SESSION))
                    .startsWith("MRWB");
            HttpResponse<String> begun = exchange("ALICE01", "alice-secret", Duration.ofHours(1));
            assertThat(header(begun, "set-cookie"))
                    .startsWith("__Host-" + SESSION + '=')
                    .contains("; Secure");
            assertThat(whoAmI(cookie(begun, "__Host-" + SESSION)).statusCode()).isEqualTo(401);
        } finally {
            reload(settings(provider.url(), URL));
        }
    }

    private void reload(String settings) throws Exception {
        Files.writeString(folder.resolve("millrace.yaml"), settings);
        HttpResponse<String> reloaded = client.send(
                HttpRequest.newBuilder(uri("/api/v1/settings/reload"))
                        .header("authorization", "Bearer " + bearer("ADMIN01", "admin-secret", Duration.ofHours(1)))
                        .POST(BodyPublishers.noBody())
                        .build(),
                BodyHandlers.ofString());
        assertThat(reloaded.statusCode()).as(reloaded.body()).isEqualTo(200);
    }

    @ParameterizedTest
    @ValueSource(strings = {"role console-viewer", "session ada", "session KEY", "all "})
    void revocationEndsASessionAtOnce(String revoked) throws Exception {
        String session = cookie(signIn(claims("ada", "staff")), SESSION);
        assertThat(whoAmI(session).statusCode()).isEqualTo(200);
        String[] target = revoked.replace("KEY", session.substring(0, session.indexOf('.')))
                .replace("ada", "assumed-role/console-viewer/person:ada@example.org")
                .split(" ", 2);

        assertThat(revoke(target[0], target[1])).isEqualTo(200);

        assertThat(whoAmI(session).statusCode()).isEqualTo(401);
        assertThat(api("POST", "/invalidations", session, OF_CONSOLE).statusCode())
                .isEqualTo(401);
    }

    @Test
    void keysAreExchangedForASessionOfTheIdentity() throws Exception {
        HttpResponse<String> begun = exchange("ALICE01", "alice-secret", Duration.ofHours(12));
        assertThat(begun.statusCode()).as(begun.body()).isEqualTo(200);
        String session = cookie(begun, SESSION);

        assertThat(whoAmI(session).body()).startsWith("{\"name\":\"alice\"");
        assertThat(api("POST", "/invalidations", session, OF_CONSOLE).statusCode())
                .isEqualTo(403);
        // A session does not make itself longer.
        assertThat(api("POST", "/session", session, OF_CONSOLE).statusCode()).isEqualTo(403);
        assertThat(revoke("sessions-of", "alice")).isEqualTo(200);
        assertThat(whoAmI(session).statusCode()).isEqualTo(401);
    }

    /** Anyone on the way or at a sibling domain can set a cookie of the plain name. */
    @Test
    void cookieIsBoundToTheHostOverTls() throws Exception {
        HttpRequest begin = HttpRequest.newBuilder(uri("/api/v1/session"))
                .header("authorization", "Bearer " + bearer("ALICE01", "alice-secret", Duration.ofHours(1)))
                .header("x-forwarded-proto", "https")
                .POST(BodyPublishers.noBody())
                .build();

        HttpResponse<String> begun = client.send(begin, BodyHandlers.ofString());

        assertThat(header(begun, "set-cookie"))
                .startsWith("__Host-" + SESSION + '=')
                .contains("; Secure", "; Path=/");
        String session = cookie(begun, "__Host-" + SESSION);
        assertThat(overTls("__Host-" + SESSION + '=' + session)).isEqualTo(200);
        assertThat(overTls(SESSION + '=' + session)).isEqualTo(401);
        assertThat(overTls("__Host-%1$s=%2$s; __Host-%1$s=x".formatted(SESSION, session)))
                .isEqualTo(401);
    }

    private int overTls(String cookie) throws Exception {
        HttpRequest.Builder request = HttpRequest.newBuilder(uri("/api/v1/whoami"))
                .header("cookie", cookie)
                .header("x-forwarded-proto", "https");
        OF_CONSOLE.forEach(request::header);
        return client.send(request.build(), BodyHandlers.ofString()).statusCode();
    }

    @Test
    void settingsShowNoClientSecret() throws Exception {
        String session = cookie(exchange("ADMIN01", "admin-secret", Duration.ofHours(1)), SESSION);

        assertThat(api("GET", "/settings", session, OF_CONSOLE).body())
                .contains("admin.oidc.client-secret", "***")
                .doesNotContain("hush");
    }

    @Test
    void sessionEndsWithTheTokenThatItIsFor() throws Exception {
        HttpResponse<String> begun = exchange("ALICE01", "alice-secret", Duration.ofMinutes(3));

        assertThat(header(begun, "set-cookie")).containsPattern("Max-Age=1[78][0-9];");
        assertThat(exchange("ALICE01", "wrong-secret", Duration.ofHours(1)).statusCode())
                .isEqualTo(401);
    }

    @Test
    void consoleSeesHowPeopleSignIn() throws Exception {
        assertThat(get("/console/sign-in/methods", "").body())
                .isEqualTo("{\"provider\":\"127.0.0.1\",\"session\":false}");
        assertThat(get("/console/sign-in/methods", SESSION + "=any").body()).contains("\"session\":true");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "console-viewer ] | nobody ] | admin.oidc.roles",
                "url: \"http://127.0.0.1:9081\" | url: \"http://millrace.example.org\" | admin.oidc.url",
                "url: \"http://127.0.0.1:9081\" | url: \"https://millrace.example.org/console\" | admin.oidc.url",
                "roles: [ console-operator, console-viewer ] | roles: [] | admin.oidc.roles",
                "scopes: [ groups ] | scopes: [ \"a b\" ] | admin.oidc.scopes",
                "issuer: \"ISSUER\", claims: { groups: ops } | issuer: \"http://127.0.0.1:1\", claims: { groups: ops }"
                        + " | sts.roles[0].issuer"
            })
    void wrongSettingsAreRefused(String from, String to, String key) {
        String settings = settings(provider.url(), URL).replace(from.replace("ISSUER", provider.url()), to);

        assertThatThrownBy(() -> SettingsLoader.ofText(settings, Map.of()))
                .hasMessageContaining(key)
                .hasMessageNotContaining("hush");
    }

    private record Begun(Map<String, String> parameters, String cookie) {
        String state() {
            return parameters.getOrDefault("state", "");
        }
    }

    private Begun begin() throws Exception {
        HttpResponse<String> begun = get("/console/sign-in", "");
        String cookie = header(begun, "set-cookie");
        return new Begun(
                RecordedRequest.fields(URI.create(header(begun, "location")).getRawQuery()),
                cookie.substring(0, cookie.indexOf(';')));
    }

    private HttpResponse<String> signIn(JWTClaimsSet.Builder claims) throws Exception {
        Begun begun = begin();
        String code = provider.signIn(begun.parameters(), token(begun, claims));
        return get(CALLBACK + "?code=%s&state=%s".formatted(code, begun.state()), begun.cookie());
    }

    private JWTClaimsSet.Builder claims(String name, String... groups) {
        return provider.claims("id-of-" + name)
                .audience("console")
                .claim("email", name + "@example.org")
                .claim("email_verified", true)
                .claim("groups", List.of(groups));
    }

    private static String token(Begun begun, JWTClaimsSet.Builder claims) throws Exception {
        return signed(claims.claim("nonce", begun.parameters().get("nonce")));
    }

    private static String signed(JWTClaimsSet.Builder claims) throws Exception {
        return OidcServer.signed(key, JWSAlgorithm.RS256, claims.build());
    }

    private static void assertNotIn(HttpResponse<String> response) {
        assertThat(response.statusCode()).as(response.body()).isEqualTo(403);
        assertThat(response.body()).contains("Not signed in");
        assertThat(response.headers().allValues("set-cookie")).noneMatch(cookie -> cookie.contains(SESSION));
    }

    private HttpResponse<String> whoAmI(String session) throws Exception {
        return api("GET", "/whoami", session, OF_CONSOLE);
    }

    private HttpResponse<String> api(String method, String path, String session, Map<String, String> headers)
            throws Exception {
        HttpRequest.Builder request = HttpRequest.newBuilder(uri("/api/v1" + path))
                .header("cookie", SESSION + '=' + session)
                .header("content-type", "application/json")
                .method(
                        method,
                        switch (path) {
                            case "/invalidations" -> BodyPublishers.ofString("{\"bucket\":\"data\"}");
                            case "/jobs" ->
                                BodyPublishers.ofString("{\"kind\":\"prefetch\",\"from\":{\"bucket\":\"data\"}}");
                            default -> BodyPublishers.noBody();
                        });
        headers.forEach(request::header);
        return client.send(request.build(), BodyHandlers.ofString());
    }

    private HttpResponse<String> exchange(String accessKey, String secret, Duration lifetime) throws Exception {
        return client.send(
                HttpRequest.newBuilder(uri("/api/v1/session"))
                        .header("authorization", "Bearer " + bearer(accessKey, secret, lifetime))
                        .POST(BodyPublishers.noBody())
                        .build(),
                BodyHandlers.ofString());
    }

    private int revoke(String target, String name) throws Exception {
        return client.send(
                        HttpRequest.newBuilder(uri("/api/v1/revocations"))
                                .header(
                                        "authorization",
                                        "Bearer " + bearer("ADMIN01", "admin-secret", Duration.ofHours(1)))
                                .header("content-type", "application/json")
                                .POST(BodyPublishers.ofString(
                                        "{\"target\":\"%s\",\"name\":\"%s\"}".formatted(target, name)))
                                .build(),
                        BodyHandlers.ofString())
                .statusCode();
    }

    private static String bearer(String accessKey, String secret, Duration lifetime) {
        // Its time is in seconds, and what was issued in the second of another test's revocation is revoked.
        return BearerTokens.make(
                accessKey, Secret.of(secret), lifetime, Instant.now().plusSeconds(1));
    }

    private HttpResponse<String> get(String path, String cookie) throws Exception {
        HttpRequest.Builder request = HttpRequest.newBuilder(uri(path)).header("x-forwarded-for", address);
        if (!cookie.isEmpty()) {
            request.header("cookie", cookie);
        }
        return client.send(request.build(), BodyHandlers.ofString());
    }

    private static URI uri(String path) {
        return URI.create("http://127.0.0.1:" + gateway.adminPort() + path);
    }

    private static String header(HttpResponse<?> response, String name) {
        return response.headers().firstValue(name).orElse("");
    }

    private static String cookie(HttpResponse<?> response, String name) {
        return response.headers().allValues("set-cookie").stream()
                .filter(cookie -> cookie.startsWith(name + '='))
                .map(cookie -> cookie.substring(name.length() + 1, cookie.indexOf(';')))
                .findFirst()
                .orElse("");
    }
}
