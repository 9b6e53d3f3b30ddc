package io.millrace.gateway.app;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.gateway.app.command.MillraceApplication;
import io.millrace.gateway.testkit.TestCertificate;
import io.netty.pkitesting.CertificateBuilder;
import io.netty.pkitesting.X509Bundle;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Tests that {@code config check} reports what a start would refuse, with line and remedy, and leaves no files. */
class ConfigCheckTest {
    private static final String FILE = """
            s3: { port: 0 }
            admin: { port: 0 }
            data: ./data
            cache: { CACHE disks: [ { path: ./data/cache, size: 64MiB } ] }
            backends: { far: { type: s3, endpoint: "http://127.0.0.1:9", KEYS } }
            buckets: [ { name: "*", backend: far } ]
            identities: [ { name: admin, access-key: K, secret-key: KEY-of-admin, allow: "*" } ]
            """;

    @TempDir
    @SuppressWarnings("NullAway.Init")
    private Path folder;

    private final StringWriter printed = new StringWriter();

    @Test
    void passesASoundFileAndMakesNothing() throws Exception {
        assertThat(check(FILE)).isZero();
        assertThat(printed.toString())
                .contains("no problems", "of heap", "of direct memory")
                .doesNotContain("warning");
        assertThat(folder.resolve("data")).doesNotExist();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                ", KEYS |, access-key: A | millrace.yaml:5  backends.far.secret-key",
                "./data/cache | /proc/none/cache | cache.disks[0].path",
                "64MiB } ] | 64MiB }, { path: ./data/cache/b, size: 64MiB } ] | cache.disks[1].path",
                "data: ./data | data: ./millrace.yaml | millrace.yaml:3  data",
                "data: ./data | data: ./data/cache | millrace.yaml:4  cache.disks[0].path",
                "data: ./data | data: ./data/cache/own | millrace.yaml:3  data",
                "type: s3, endpoint: \"http://127.0.0.1:9\", KEYS | type: file, path: ./data/cache |"
                        + " cache.disks[0].path",
                "s3: { port: 0 } | s3: { port: 70000 } | millrace.yaml:1  s3.port: 70000",
                "s3: { port: 0 } | s3: { port: 0, send-buffer: 0 } | millrace.yaml:1  s3.send-buffer: 0",
                "admin: { port: 0 } | admin: { port: 70000 } | millrace.yaml:2  admin.port: 70000",
                "admin: { port: 0 } | admin: { port: -1 } | millrace.yaml:2  admin.port: -1",
                "data: ./data | 'data: ./data\njobs: { max-running: 65 }' | millrace.yaml:4  jobs.max-running: 65",
                "allow: \"*\" | 'allow: \"*\", limits: { bandwidth: 0 }' | identities[0].limits.bandwidth: 0",
                "CACHE | fill-memory: 900TiB, | millrace.yaml:4  cache.fill-memory: 900TiB",
                "CACHE | index-memory: 900TiB, | millrace.yaml:4  cache.index-memory: 900TiB",
                "CACHE | memory-tier: 900TiB, | millrace.yaml:4  cache.memory-tier: 900TiB",
                "CACHE | memory-tier: 4194304TiB, | millrace.yaml:4  cache.memory-tier: 4194304TiB",
                "s3: { port: 0 } | s3: { port: 0, address: 192.0.2.1 } | s3.address",
                "s3: { port: 0 } | s3: { port: 0, access-log: true } | millrace.yaml:1  s3.access-log",
                "s3: { port: 0 } | s3: { port: 0, access-log: { format: csv } } | s3.access-log.format: csv",
                "s3: { port: 0 } | s3: { port: 0, access-log: { rotate-at: 1KiB } } | s3.access-log.rotate-at: 1KiB",
                "s3: { port: 0 } | s3: { port: 0, access-log: { keep: -1 } } | s3.access-log.keep: -1",
                "s3: { port: 0 } | s3: { port: 0, access-log: { path: ./none/a.log } } | s3.access-log.path:"
                        + " ./none/a.log",
                "s3: { port: 0 } | s3: { port: 0, access-log: { path: . } } | s3.access-log.path: .",
                "data: ./data | 'data: ./data\naudit: { path: ./none/audit.log }' | audit.path: ./none/audit.log",
                "type: s3, endpoint: \"http://127.0.0.1:9\", KEYS | type: file, path: ./millrace.yaml | backends.far"
            })
    void refusesWhatNoStartCanUse(String part, String broken, String where) throws Exception {
        assertThat(check(FILE.replace(part, broken))).isEqualTo(1);
        assertThat(printed.toString()).contains("1 problem", where, "remedy");
        assertThat(folder.resolve("data")).doesNotExist();
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            derived: { from: none }                      | buckets[0].derived.from: none | is not a bucket of this file
            derived: { from: samples }                   | buckets[0].derived.from: samples | is a derived bucket itself
            derived: { from: shards, members: '**.tgz' } | buckets[0].derived.members | decompress it once
            derived: { from: shards, members: '**.{tar,zip}' } | buckets[0].derived.members | for each pattern
            derived: { from: shards }, backend: far      | buckets[0].backend | has no place beside 'derived'
            derived: { from: shards }, quota: 50%        | buckets[0].quota | set it in the bucket 'shards'
            derived: { from: shards }, bucket: other     | buckets[0].bucket | set it in the bucket 'shards'
            derived: { from: shards }, write: invalidate | buckets[0].write | set it in the bucket 'shards'
            derived: { from: shards }, freshness: { mode: strict } | buckets[0].freshness | set it in the bucket
            prefix: a/                                   | buckets[0].backend is missing | 'derived'
            """)
    void refusesDerivedBucketsThatCannotBe(String entry, String where, String remedy) throws Exception {
        String buckets = "buckets: [ { name: samples, " + entry + " }, { name: shards, backend: far } ]";

        assertThat(check(FILE.replace("buckets: [ { name: \"*\", backend: far } ]", buckets)))
                .isEqualTo(1);
        assertThat(inOneLine()).contains("1 problem", where, remedy);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            derived: { from: shards, transform: thum }   | buckets[0].derived.transform: thum | write one of [thumb]
            derived: { from: made, transform: thumb }    | derived.from: made is a derived | bucket that it is
            derived: { from: shards, transform: thumb, members: '*.tar' } | derived.members | leave one out
            derived: { from: shards, transform: thumb }, write: invalidate | buckets[0].write | set it in the bucket
            """)
    void refusesTransformsThatCannotBe(String entry, String where, String remedy) throws Exception {
        assertThat(check(transforming("url: \"http://127.0.0.1:9/\"", "{ name: thumbs, " + entry + " }")))
                .isEqualTo(1);
        assertThat(inOneLine()).contains("1 problem", where, remedy);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            name: kv-blocks, scratch: { ttl: 24h }                                | buckets[0].quota | would take the cache
            name: kv-blocks, scratch: { ttl: 0s }, quota: 1GiB                    | buckets[0].scratch.ttl | is no time
            name: kv-blocks, scratch: { ttl: 24h }, quota: 1GiB, backend: far               | buckets[0].backend | beside 'scratch'
            name: kv-blocks, scratch: { ttl: 24h }, quota: 1GiB, derived: { from: shards }  | buckets[0].derived | beside 'scratch'
            name: kv-blocks, scratch: { ttl: 24h }, quota: 1GiB, prefix: a/                 | buckets[0].prefix | beside 'scratch'
            name: kv-blocks, scratch: { ttl: 24h }, quota: 1GiB, write: invalidate          | buckets[0].write | beside 'scratch'
            name: kv-blocks, scratch: { ttl: 24h }, quota: 1GiB, freshness: { mode: immutable } | buckets[0].freshness | beside 'scratch'
            name: "k*", scratch: { ttl: 24h }, quota: 1GiB                           | buckets[0].scratch | name of a bucket
            """)
    void refusesScratchBucketsThatCannotBe(String entry, String where, String remedy) throws Exception {
        String buckets = "buckets: [ { " + entry + " }, { name: shards, backend: far } ]";

        assertThat(check(FILE.replace("buckets: [ { name: \"*\", backend: far } ]", buckets)))
                .isEqualTo(1);
        assertThat(inOneLine()).contains("1 problem", where, remedy);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            timeout: 0s                        | transforms.thumb.timeout | write a time such as 30s
            concurrency: 0                     | transforms.thumb.concurrency | write 16
            max-size: 65MiB                    | transforms.thumb.max-size | write a size such as 4MiB
            max-size: 64MiB, concurrency: 17   | transforms.thumb.max-size | lower it, or concurrency
            """)
    void refusesTransformsThatNoServiceCouldBear(String setting, String where, String remedy) throws Exception {
        String made = "{ name: thumbs, derived: { from: shards, transform: thumb } }";

        assertThat(check(transforming("url: \"http://127.0.0.1:9/\", " + setting, made)))
                .isEqualTo(1);
        assertThat(inOneLine()).contains("1 problem", where, remedy);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            cron: "0 3 * * *", zone: Mars         | schedules.nightly.zone | write UTC
            cron: "0 3 * *"                       | schedules.nightly.cron | is not five fields but 4
            cron: "0 25 * * *"                    | schedules.nightly.cron | write minute, hour
            cron: "0 3 * * *", start-within: 0s   | schedules.nightly.start-within | write a time such as 1h
            cron: "0 3 * * *", identity: bob      | schedules.nightly.identity: bob | name of one of identities
            cron: "0 3 * * *", job: { kind: move } | schedules.nightly.job | the body of POST /api/v1/jobs
            """)
    void refusesSchedulesThatCannotBe(String keys, String where, String what) throws Exception {
        String all = keys
                + (keys.contains("identity") ? "" : ", identity: admin")
                + (keys.contains("job") ? "" : ", job: { kind: prefetch, from: { bucket: data } }");

        assertThat(check(FILE + "schedules: { nightly: { " + all + " } }\n")).isEqualTo(1);
        assertThat(inOneLine()).contains("1 problem", where, what);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            url: "https://h/x", key: 0123456789abcdef01234567        | webhooks.ops.key | does not begin with whsec_
            url: "https://h/x", key: whsec_c2hvcnQ=                  | webhooks.ops.key | has 5 bytes, not 24 to 64
            url: "https://h/x", key: "whsec_no base64 at all, is it" | webhooks.ops.key | copy the whole key
            url: "ftp://h/x", key: whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3 | webhooks.ops.url | is not a URL
            """)
    void refusesWebhooksThatCannotBe(String keys, String where, String what) throws Exception {
        assertThat(check(FILE + "webhooks: { ops: { " + keys + " } }\n")).isEqualTo(1);
        assertThat(inOneLine()).contains("1 problem", where, what);
    }

    @Test
    void takesTransformsOfMembersOfArchives() throws Exception {
        String made = "{ name: thumbs, derived: { from: samples, transform: thumb }, quota: 50% }";

        assertThat(check(transforming("url: \"http://127.0.0.1:9/\", method: post, args: w=1, version: 7", made)))
                .as(printed.toString())
                .isZero();
    }

    private static String transforming(String service, String entry) {
        return FILE.replace("buckets: [ { name: \"*\", backend: far } ]", """
                transforms: { thumb: { %s } }
                buckets:
                  - %s
                  - { name: samples, derived: { from: shards } }
                  - { name: made, derived: { from: shards, transform: thumb } }
                  - { name: shards, backend: far }
                """.formatted(service, entry));
    }

    @Test
    void reportsTheSourceOfADerivedBucketWithTheOtherProblemsOfItsEntry() throws Exception {
        String buckets = """
                buckets:
                  - { name: samples, derived: { from: godo }, quota: 50% }
                  - { name: others, derived: { from: none, membres: "*" } }
                  - { name: shards, backend: far }
                """;

        assertThat(check(FILE.replace("buckets: [ { name: \"*\", backend: far } ]\n", buckets)))
                .isEqualTo(1);
        assertThat(inOneLine())
                .contains(
                        "4 problems",
                        "millrace.yaml:7  buckets[0].derived.from: godo is not a bucket of this file",
                        "buckets[0].quota",
                        "buckets[1].derived.from: none is not a bucket of this file",
                        "buckets[1].derived.membres");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "name: \"*\" | name: a/b | is neither a bucket | write 3 to 255 letters, digits",
                "name: \"*\" | 'name: ' | has no value | write 3 to 255 letters, digits",
                "name: \"*\" | 'name: real, bucket: x' | not a bucket name: x | write 3 to 255 letters, digits",
                "'name: \"*\", backend: far' | 'name: own, derived: { from: x }' | not a bucket name: x | write 3 to"
                        + " 255 letters, digits",
                "allow: \"*\" | allow: read | names no bucket | write rights, a colon and a bucket",
            })
    void saysWhatIsWrittenInPlaceOfAWrongValue(String part, String broken, String what, String remedy)
            throws Exception {
        assertThat(check(FILE.replace(part, broken))).isEqualTo(1);
        assertThat(inOneLine()).contains("1 problem", what, remedy).doesNotContain("a valid ");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "authorities: ./none.pem | tls.authorities: ./none.pem does not exist | write the path of a PEM file",
                "authorities: ./key.pem | tls.authorities: ./key.pem has no certificate | BEGIN CERTIFICATE",
                "authorities: . | tls.authorities: . is no PEM file | write the path",
                "authorities: ./torn.pem | tls.authorities: ./torn.pem has a certificate that cannot be read | export"
                        + " it",
                "public-authorities: false | tls.authorities is required if public-authorities is false | write the"
                        + " path",
                "certificate: ./own.pem | tls.private-key is required with certificate | add it",
                "private-key: ./key.pem | tls.certificate is required with private-key | add it",
                "'certificate: ./own.pem, private-key: ./own.pem' | tls.private-key: ./own.pem has no private key |"
                        + " BEGIN PRIVATE",
                "'certificate: ./own.pem, private-key: ./other.pem' | private-key: ./other.pem is not the key of | its"
                        + " own key",
                "'certificate: ./own.pem, private-key: ./pkcs1.pem' | ./pkcs1.pem has a key of another form | openssl"
                        + " pkcs8"
            })
    void refusesTlsFilesThatCannotBeUsed(String tls, String where, String remedy) throws Exception {
        X509Bundle own = TestCertificate.create("own").bundle();
        write("own.pem", own.getCertificatePathPEM());
        write("key.pem", own.getPrivateKeyPEM());
        write("other.pem", TestCertificate.create("other").bundle().getPrivateKeyPEM());
        write("torn.pem", own.getCertificatePEM().replaceFirst("\n.{20}", "\n"));
        write("pkcs1.pem", own.getPrivateKeyPEM().replace("PRIVATE KEY", "EC PRIVATE KEY"));

        assertThat(check(FILE.replace(", KEYS", ", tls: { " + tls + " }"))).isEqualTo(1);
        assertThat(inOneLine())
                .contains("1 problem", "millrace.yaml:5  backends.far.", where, remedy)
                .doesNotContain(
                        own.getPrivateKeyPEM().lines().skip(1).findFirst().orElseThrow());
    }

    /** The other port is a default, which has no line. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "'s3: { port: 9081 }' | 'admin:' | millrace.yaml:1  s3.port: 9081 is the port of admin too",
                "'s3: {}' | 'admin: { port: 9080 }' | millrace.yaml:2  admin.port: 9080 is the port of s3 too",
                "'s3: { port: 9082 }' | 'hub: { backend: far }' | millrace.yaml:1  s3.port: 9082 is the port of hub too"
            })
    void portOfTwoIsReportedWhereItIsWritten(String s3, String other, String where) throws Exception {
        assertThat(check(FILE.replace("s3: { port: 0 }", s3).replace("admin: { port: 0 }", other)))
                .isEqualTo(1);
        assertThat(inOneLine()).contains(where);
    }

    /** At another address of this machine, a port of that number may be another server's. */
    @ParameterizedTest
    @CsvSource({
        "'', backends.far.endpoint: http://127.0.0.1:19080",
        "', address: 0.0.0.0', backends.far.endpoint: http://127.0.0.1:19080",
        "', address: 192.0.2.1', s3.address: 192.0.2.1"
    })
    void refusesItsOwnPortAsABackend(String address, String where) throws Exception {
        String port = "s3: { port: 19080%s }".formatted(address);

        assertThat(check(FILE.replace("127.0.0.1:9\"", "127.0.0.1:19080\"").replace("s3: { port: 0 }", port)))
                .isEqualTo(1);
        assertThat(printed.toString()).contains("1 problem", where, "remedy");
    }

    @ParameterizedTest
    @CsvSource({"0.0.0.0, '[::ffff:127.0.0.1]'", "0.0.0.0, 0.0.0.0", "0.0.0.0, 127.0.0.2", "127.0.0.1, localhost"})
    void knowsItselfByEachAddressOfThisMachine(String listening, String host) throws Exception {
        assertThat(checkOwn(listening, host)).isEqualTo(1);
        assertThat(printed.toString()).contains("1 problem", "backends.far.endpoint", "remedy");
    }

    @Test
    void knowsItselfByItsInterfacesAndItsName() throws Exception {
        for (InetAddress address : own()) {
            assertThat(checkOwn("0.0.0.0", address.getHostAddress()))
                    .as("%s", address)
                    .isEqualTo(1);
            assertThat(checkOwn(address.getHostAddress(), address.getHostAddress()))
                    .isEqualTo(1);
            assertThat(checkOwn("127.0.0.1", address.getHostAddress())).isZero();
        }
        InetAddress local = InetAddress.getLocalHost();
        if (local.isLoopbackAddress() || own().contains(local)) {
            assertThat(checkOwn("0.0.0.0", local.getHostName())).isEqualTo(1);
        }
    }

    /** Its port is another server's, and its name is not resolved. */
    @ParameterizedTest
    @CsvSource({"127.0.0.1, 127.0.0.2", "0.0.0.0, 192.0.2.1", "0.0.0.0, '[::1]'", "0.0.0.0, store.invalid"})
    void hostThatIsNotItselfIsNone(String listening, String host) throws Exception {
        assertThat(checkOwn(listening, host)).isZero();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "type: millrace, endpoint: \"http://127.0.0.1:19080\", access-key: T, secret-key: S |"
                        + " backends.far.endpoint | the S3 port",
                "type: http, url: \"http://127.0.0.1:19080/sets/\" | backends.far.url | the S3 port",
                "type: hub, url: \"http://127.0.0.1:19082\" | backends.far.url | the Hub port"
            })
    void refusesItsOwnPortAsABackendOfEachType(String backend, String where, String what) throws Exception {
        String file = FILE.replace("type: s3, endpoint: \"http://127.0.0.1:9\", KEYS", backend)
                .replace("s3: { port: 0 }", "s3: { port: 19080 }\nhub: { port: 19082, backend: hf }")
                .replace("backends: {", "backends: { hf: { type: hub },");

        assertThat(check(file)).isEqualTo(1);
        assertThat(inOneLine()).contains("1 problem", where, what + " of this Millrace", "remedy");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            type: azure, account: acc, account-key: a2V5 | name: mine, bucket: My.Container | .bucket: My.Container
            type: azure, account: acc, account-key: a2V5 | name: two--hyphens               | .name: two--hyphens
            type: hub                                    | name: modelz                     | .name: modelz
            """)
    void warnsOfANameThatNoBucketOfTheBackendCanHave(String backend, String entry, String where) throws Exception {
        String file = FILE.replace("type: s3, endpoint: \"http://127.0.0.1:9\", KEYS", backend);

        assertThat(check(file.replace("name: \"*\"", entry))).isZero();
        assertThat(inOneLine()).contains("warning", "buckets[0]" + where, "is the name of no bucket at this backend");
        printed.getBuffer().setLength(0);
        assertThat(check(file)).isZero();
        assertThat(inOneLine()).doesNotContain("warning");
    }

    private int checkOwn(String listening, String host) throws Exception {
        return check(FILE.replace("127.0.0.1:9\"", host + ":19080\"")
                .replace("s3: { port: 0 }", "s3: { port: 19080, address: \"%s\" }".formatted(listening)));
    }

    private static List<InetAddress> own() throws SocketException {
        return NetworkInterface.networkInterfaces()
                .flatMap(NetworkInterface::inetAddresses)
                .filter(address -> address instanceof Inet4Address && !address.isLoopbackAddress())
                .toList();
    }

    @ParameterizedTest
    @ValueSource(strings = {".", "./data"})
    void refusesToServeItsOwnFolders(String served) throws Exception {
        String files = "type: file, path: " + served;

        assertThat(check(FILE.replace("type: s3, endpoint: \"http://127.0.0.1:9\", KEYS", files)))
                .isEqualTo(1);
        assertThat(inOneLine())
                .contains(
                        "millrace.yaml:3  data: ./data",
                        "cache.disks[0].path: ./data/cache",
                        "lies inside the folder that the backend 'far' serves");
    }

    @Test
    void refusesOneFileForTwoLogs() throws Exception {
        String file = FILE.replace("s3: { port: 0 }", "s3: { port: 0, access-log: { path: ./a.log } }");

        assertThat(check(file + "audit: { path: ./b.log }\n")).isZero();
        assertThat(check(file + "audit: { path: ./b/../a.log }\n")).isEqualTo(1);
        assertThat(inOneLine()).contains("s3.access-log.path", "is the file of the audit log too");
        assertThat(folder).isDirectoryNotContaining("glob:**.log");
    }

    @Test
    void warnsIfConnectionsCouldTakeMoreFilesThanAllowed() throws Exception {
        assertThat(check(FILE.replace("s3: { port: 0 }", "s3: { port: 0, max-connections: 2000000000 }")))
                .isZero();
        assertThat(inOneLine()).contains("warning", "s3.max-connections", "limit of open files", "LimitNOFILE");
    }

    @Test
    void warnsOfExpiredClientCertificate() throws Exception {
        X509Bundle old = new CertificateBuilder()
                .subject("CN=old")
                .setIsCertificateAuthority(true)
                .notBefore(Instant.now().minus(Duration.ofDays(9)))
                .notAfter(Instant.now().minus(Duration.ofDays(1)))
                .buildSelfSigned();
        write("old.pem", old.getCertificatePEM());
        write("old-key.pem", old.getPrivateKeyPEM());

        assertThat(check(FILE.replace(", KEYS", ", tls: { certificate: ./old.pem, private-key: ./old-key.pem }")))
                .isZero();
        assertThat(printed.toString()).contains("warning", "backends.far.tls.certificate", "has expired");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "'url: \"https://proxy:3128\"' | proxy.url: https://proxy:3128 is not http",
                "'url: \"http://proxy\"' | proxy.url: http://proxy is not just http://host:port",
                "'url: \"http://u:p@proxy:3128\"' | has a user or password in it",
                "'url: \"http://proxy:3128\", username: me' | proxy.password is required with username",
                "'url: \"http://proxy:3128\", password: p' | proxy.username is required with password",
                "'url: \"http://proxy:3128\", except: [ \"a b\" ]' | proxy.except[0]: a b is no host"
            })
    void refusesProxyThatCannotBeUsed(String proxy, String problem) throws Exception {
        assertThat(check(FILE.replace(", KEYS", ", proxy: { " + proxy + " }"))).isEqualTo(1);
        assertThat(inOneLine()).contains("1 problem", problem, "remedy");
    }

    /** Returns what was printed, each key with its value and its problem in one line, and paths as in the file. */
    private String inOneLine() {
        return printed.toString()
                .replace("\n   problem:", "")
                .replace(folder + "/", "./")
                .replace(folder.toString(), ".");
    }

    private void write(String name, String text) throws Exception {
        Files.writeString(folder.resolve(name), text);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "s3: { port: 0 | s3: { port: 0, drain: 1s | shutdown-timeout",
                "s3: { port: 0 | s3: { port: 0, drain-delay: 1s | shutdown-delay",
                "s3: { port: 0 | s3: { port: 0, stalled-reader: 1s | stalled-reader-timeout",
                "CACHE | memory: 128MiB, | fill-memory",
                "CACHE | 'scrub: { every: 7d },' | interval",
                "far } | far, share: 10% } | quota",
                "far } | far, residency: a/ } | tracked-prefixes",
                "far } | far, cache: [] } | cache-rules",
                "far } | far, access-rules: refuse } | access-policies",
                "far } | far, cors: [ { expose: etag } ] } | expose-headers",
                "far } | far, prices: { gb-out: 1 } } | egress-per-gb",
                "data: ./data | prices: { far: { thousand-gets: 1 } } | per-thousand-requests",
                "data: ./data | jobs: { parallel: 1 } | max-running",
                "data: ./data | jobs: { history: 1 } | max-ended",
                "data: ./data | downloads: { allow: [] } | allowed-urls",
                "data: ./data | downloads: { private-addresses: [] } | allowed-private-addresses"
            })
    void refusesFormerKeysWithTheirNewNames(String part, String former, String now) throws Exception {
        assertThat(check(FILE.replace(part, former))).isEqualTo(1);
        assertThat(printed.toString()).contains("1 problem", "it is now called " + now + ";");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "64MiB | 900TiB | cache.disks[0].size: 900TiB",
                "127.0.0.1:9 | 127.0.0.1:9/bucket | backends.far.endpoint: http://127.0.0.1:9/bucket",
                "far } | far, prefix: team } | buckets[0].prefix: team",
                "far } | far, prefix: /team/ } | buckets[0].prefix: /team/",
                "data: ./data | 'data: ./data\nlog: { debug: [ io.millrace.gateway.nosuch ] }' | log.debug[0]",
                "name: \"*\" | name: Data | buckets[0].name: Data"
            })
    void warnsOfWhatIsHardlyMeant(String part, String odd, String where) throws Exception {
        assertThat(check(FILE.replace(part, odd))).isZero();
        assertThat(printed.toString()).contains("no problems", "warning: ", where, "remedy");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "'\"read:goood\"' | identities[0].allow: read:goood",
                "'[ \"read:good\", \"list:goood/x\" ]' | identities[0].allow[1]: list:goood/x",
                "'[ \"read:go*\", \"list:tmp-1\", \"list:t*\", \"*\" ]' | ''"
            })
    void warnsOfRightsToABucketThatTheFileLacks(String allow, String where) throws Exception {
        String file = FILE.replace("name: \"*\"", "name: good, backend: far }, { name: \"tmp-*\"")
                .replace("allow: \"*\"", "allow: " + allow);

        assertThat(check(file)).isZero();
        if (where.isEmpty()) {
            assertThat(printed.toString()).doesNotContain("warning");
        } else {
            assertThat(inOneLine()).containsOnlyOnce("warning").contains(where + " is for a bucket that no entry");
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "io.millrace",
                "io.millrace.gateway",
                "io.millrace.gateway.app",
                "io.millrace.gateway.app.Gateway"
            })
    void takesPackagesAndClassesForTheLog(String name) throws Exception {
        assertThat(check(FILE + "log: { debug: [ " + name + " ] }\n")).isZero();
        assertThat(printed.toString()).doesNotContain("warning");
    }

    @Test
    void takesTheFileAsItsArgumentToo() throws Exception {
        assertThat(check(FILE)).isZero();

        assertThat(run("config", "check", folder.resolve("millrace.yaml").toString()))
                .isZero();
        assertThat(run("config", "check")).isEqualTo(2);
        assertThat(printed.toString())
                .contains("The settings file is missing: write millrace config check FILE, or --config FILE");
    }

    @Test
    void doctorPrintsItsFindingsAsJson() throws Exception {
        assertThat(check(FILE)).isZero();
        printed.getBuffer().setLength(0);

        assertThat(run("doctor", "--json", folder.resolve("millrace.yaml").toString()))
                .isEqualTo(1);

        JsonNode findings = JsonMapper.shared().readTree(printed.toString()).path("findings");
        assertThat(findings.valueStream()
                        .filter(found -> found.path("severity").asString().equals("PROBLEM"))
                        .map(found -> found.path("subject").asString()))
                .contains("backend far");
    }

    @Test
    void printsWhatTheFileHasAndItsWarningsAsJson() throws Exception {
        assertThat(check(FILE.replace("name: \"*\"", "name: Data"))).isZero();
        printed.getBuffer().setLength(0);

        assertThat(run(
                        "config",
                        "check",
                        "--json",
                        folder.resolve("millrace.yaml").toString()))
                .isZero();

        JsonNode findings = JsonMapper.shared().readTree(printed.toString()).path("findings");
        assertThat(findings.valueStream()
                        .map(found -> found.path("severity").asString() + " "
                                + found.path("subject").asString()))
                .containsExactly("OK settings", "OK memory", "WARNING buckets[0].name");
    }

    @ParameterizedTest
    @CsvSource({"'config check', nonsense", "'config check', ''", "doctor, nonsense", "doctor, ''"})
    void printsProblemsOfTheSettingsAsJson(String command, String key) throws Exception {
        Path file = folder.resolve("millrace.yaml");
        if (!key.isEmpty()) {
            Files.writeString(file, key + ": 1\n");
        }
        StringWriter out = new StringWriter();

        assertThat(MillraceApplication.commands()
                        .setOut(new PrintWriter(out))
                        .setErr(new PrintWriter(printed))
                        .execute((command + " --json " + file).split(" ")))
                .isEqualTo(1);

        JsonNode findings = JsonMapper.shared().readTree(out.toString()).path("findings");
        assertThat(findings.valueStream()
                        .filter(found -> found.path("severity").asString().equals("PROBLEM"))
                        .map(found -> found.path("subject").asString()))
                .contains(key.isEmpty() ? file.toString() : key);
        assertThat(findings.valueStream()
                        .filter(found -> found.path("subject").asString().equals("nonsense"))
                        .map(found -> found.path("line").asInt()))
                .allMatch(line -> line == 1);
        assertThat(printed.toString()).isEmpty();
    }

    @Test
    void capitalsInTheNameOfABucketAtAnS3ServerAreAWarning() throws Exception {
        String file = FILE.replace("name: \"*\", backend: far", "name: real, backend: far, bucket: Real-Name");

        assertThat(check(file)).isZero();

        assertThat(printed.toString()).contains("buckets[0].bucket: Real-Name", "has capitals");
    }

    private int check(String yaml) throws Exception {
        Path file = folder.resolve("millrace.yaml");
        Files.writeString(file, yaml.replace("CACHE", "").replace(", KEYS", ""));
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
        return run("config", "check", "--config", file.toString());
    }

    private int run(String... arguments) {
        return MillraceApplication.commands()
                .setOut(new PrintWriter(printed))
                .setErr(new PrintWriter(printed))
                .execute(arguments);
    }
}
