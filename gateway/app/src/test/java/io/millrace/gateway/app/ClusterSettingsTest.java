package io.millrace.gateway.app;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.backend.spi.object.BucketName;
import io.millrace.backend.testkit.memory.InMemoryBackend;
import io.millrace.config.binding.ReloadableSettings;
import io.millrace.config.binding.SettingChange;
import io.millrace.config.binding.SettingsComparison;
import io.millrace.config.problem.SettingsException;
import io.millrace.gateway.objects.bucket.BucketRegistry;
import io.millrace.gateway.objects.bucket.BucketSavingsRegistry;
import io.millrace.gateway.objects.bucket.Coherence;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.Map;
import java.util.regex.Matcher;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests that a cluster's settings name all its members, and that contradictions are refused with a remedy. */
class ClusterSettingsTest {
    private static final String SECRET = "0123456789abcdef0123456789abcdef";
    private static final String FILE = """
        cache: { disks: [ { path: target/cache, size: 1GiB } ] }
        backends: { far: { type: s3, endpoint: "http://127.0.0.1:9", access-key: A, secret-key: S } }
        identities: [ { name: admin, access-key: A, secret-key: S, allow: "*" } ]
        """;
    private static final String BUCKETS = "buckets: [ { name: data, backend: far } ]\n";
    private static final String REST =
            "name: prod, node: gw-0, listen: \"127.0.0.1:7800\", secret: %s, ".formatted(SECRET);
    private static final String MEMBERS = "members: [ \"gw-0.example.org:7800\", \"gw-1.example.org:7800\" ]";

    @TempDir
    @SuppressWarnings("NullAway.Init")
    private Path folder;

    @Test
    void thereIsNoneUnlessTheFileHasOne() throws SettingsException {
        assertThat(settings(FILE + BUCKETS).cluster()).isEmpty();
    }

    @Test
    void membersAreNamedAfterTheirHosts() throws SettingsException {
        ClusterSettings own =
                cluster("members: [ \"gw-0.example.org:7800\", \"10.0.0.3:7801\", \"third=[2001:db8::1]:7802\" ]");

        assertThat(own.members())
                .containsExactly(
                        new ListedMember("gw-0", new HostAndPort("gw-0.example.org", 7800)),
                        new ListedMember("10.0.0.3", new HostAndPort("10.0.0.3", 7801)),
                        new ListedMember("third", new HostAndPort("2001:db8::1", 7802)));
        assertThat(own.members().get(2)).hasToString("third=[2001:db8::1]:7802");
        assertThat(own.lease()).isEqualTo(Duration.ofSeconds(3));
        assertThat(own.self()).isEqualTo("gw-0");
    }

    @ParameterizedTest
    @CsvSource({"GW-0.Example.org, gw-0", "GW-0, gw-0", "10.0.0.3, 10.0.0.3"})
    void nameOfAMemberIsInSmallLetters(String host, String name) {
        assertThat(ListedMember.nameOf(host)).isEqualTo(name);
    }

    @Test
    void memberIsNamedAfterItsMachineByDefault() throws Exception {
        String machine = Files.readString(Path.of("/proc/sys/kernel/hostname")).strip();
        String name = ListedMember.nameOf(machine);
        String file = FILE
                + BUCKETS
                + "cluster: { name: prod, listen: \"127.0.0.1:7800\", secret: %s, members: \"%s=10.0.0.1:7800\" }"
                        .formatted(SECRET, name);

        assertThat(settings(file).cluster().orElseThrow().self()).isEqualTo(name);
        assertThatThrownBy(() -> settings(file.replace(name + "=10.0.0.1", "other=10.0.0.1")))
                .hasMessageContaining("this one, '%s', is not in the list, which has other".formatted(name))
                .hasMessageContaining("cluster.node");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "members: [ 'gw-1:7800' ]|is not in the list, which has gw-1",
                "members: [ ]|is empty",
                "members: [ 'gw-0:7800', 'gw-0.other:7801' ]|has the name 'gw-0' as an earlier member has",
                "members: [ 'gw-0:7800', 'gw-1=gw-0:7800' ]|has the address of an earlier member",
                "members: [ 'gw-0:7800', 'gw-1' ]|is no host with a port",
                "members: [ 'gw-0:7800', 'gw-1:0' ]|has no port that others could connect to",
                "members: [ 'gw-0:7800', 'gw-1:70000' ]|is no host with a port",
                "members: [ 'gw-0:7800', '-x=gw-1:7800' ]|has no valid name",
                "members: [ 'gw-0:7800' ], lease: 999ms|is not between 1s and 60s",
                "members: [ 'gw-0:7800' ], lease: 61s|is not between 1s and 60s"
            })
    void refusesListsAndLeases(String rest, String problem) {
        assertThatThrownBy(() -> cluster(rest.replace('\'', '"')))
                .isInstanceOf(SettingsException.class)
                .hasMessageContaining("cluster")
                .hasMessageContaining(problem);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "127.0.0.1:9080|is the port of s3.port too",
                "0.0.0.0:9081|is the port of admin.port too",
                "192.0.2.1:7800|cannot be listened on at port 7800",
                "nowhere|is no host with a port"
            })
    void refusesAddressesThatCannotBeListenedOn(String listen, String problem) {
        assertThatThrownBy(() -> settings(file(MEMBERS, BUCKETS).replace("127.0.0.1:7800", listen)))
                .hasMessageContaining("cluster.listen")
                .hasMessageContaining(problem);
    }

    /** Each member would submit the jobs. */
    @Test
    void refusesSchedules() {
        String schedule = "\nschedules: { nightly: { cron: \"0 3 * * *\", identity: admin,"
                + " job: { kind: prefetch, from: { bucket: data } } } }\n";

        assertThatThrownBy(() -> settings(file(MEMBERS, BUCKETS) + schedule))
                .hasMessageContaining("schedules")
                .hasMessageContaining("each member of a cluster would submit");
    }

    @Test
    void refusesScratchBuckets() {
        String buckets = "buckets: [ { name: kv-blocks, scratch: { ttl: 24h }, quota: 1GiB } ]\n";

        assertThatThrownBy(() -> settings(file(MEMBERS, buckets)))
                .hasMessageContaining("buckets[0].scratch")
                .hasMessageContaining("is of one gateway");
    }

    @Test
    void refusesSecretsThatAreShortOrReadableByOthers() throws Exception {
        assertThatThrownBy(() -> settings(file(MEMBERS, BUCKETS).replace(SECRET, "short")))
                .hasMessageContaining("is shorter than 32 characters")
                .hasMessageNotContaining(": short");
        Path file = Files.writeString(folder.resolve("join"), SECRET + '\n');
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-r-----"));
        String inFile = file(MEMBERS, BUCKETS).replace("secret: " + SECRET, "secret-file: " + file);

        assertThatThrownBy(() -> settings(inFile)).hasMessageContaining("can be read by users other than its owner");
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
        assertThat(settings(inFile).cluster().orElseThrow().secret().reveal()).isEqualTo(SECRET);
    }

    @Test
    void refusesFoldersThatMembersWouldWriteTo() {
        String backends = "backends: { far: { type: file, path: %s } }".formatted(folder);

        assertThatThrownBy(() -> settings(file(MEMBERS, BUCKETS)
                        .replaceFirst("backends: .*\n", Matcher.quoteReplacement(backends + "\n"))))
                .hasMessageContaining("backends.far")
                .hasMessageContaining("cannot be shared by the members of a cluster");
    }

    @Test
    void coherenceNeedsACluster() throws SettingsException {
        String strong = "buckets: [ { name: data, backend: far, coherence: strong } ]\n";

        assertThat(settings(file(MEMBERS, strong)).buckets().get(0).coherence()).contains(Coherence.STRONG);
        assertThatThrownBy(() -> settings(FILE + strong))
                .hasMessageContaining("buckets[0].coherence")
                .hasMessageContaining("add the section cluster");
    }

    @Test
    void strongestPromiseOfTheNamesOfABucketApplies() throws SettingsException {
        MillraceSettings settings = settings(file(MEMBERS, """
            buckets:
            - { name: one, bucket: real, prefix: x/, backend: far, coherence: none }
            - { name: other, bucket: real, prefix: y/, backend: far, coherence: strong }
            - { name: strict, backend: far, freshness: { mode: strict } }
            - { name: none, backend: far, coherence: none }
            - { name: "*", backend: far }
            """));
        BucketRegistry buckets = new BucketRegistry(
                settings.buckets(), Map.of("far", new InMemoryBackend()), BucketSavingsRegistry.free());

        assertThat(buckets.coherenceOf("far", new BucketName("real"))).isEqualTo(Coherence.STRONG);
        assertThat(buckets.coherenceOf("far", new BucketName("any"))).isEqualTo(Coherence.ANNOUNCED);
        assertThat(buckets.coherenceOf("far", new BucketName("strict"))).isEqualTo(Coherence.NONE);
        assertThat(buckets.coherenceOf("far", new BucketName("none"))).isEqualTo(Coherence.NONE);
        assertThat(buckets.coherenceOf("near", new BucketName("real"))).isEqualTo(Coherence.NONE);
    }

    @Test
    void listsGoOnAtAnotherMemberOfTheSameCluster() throws SettingsException {
        byte[] key = ContinuationTokenKey.of(settings(file(MEMBERS, BUCKETS)));

        assertThat(ContinuationTokenKey.of(settings(file(MEMBERS, BUCKETS).replace("node: gw-0", "node: gw-1"))))
                .isEqualTo(key)
                .hasSize(32);
        assertThat(ContinuationTokenKey.of(settings(file(MEMBERS, BUCKETS).replace(SECRET, SECRET + "0"))))
                .isNotEqualTo(key);
    }

    @Test
    void membersAndCoherenceAreReloadedAndAllElseIsNot() throws SettingsException {
        MillraceSettings before = settings(file(MEMBERS, BUCKETS));
        MillraceSettings after = settings(file(
                MEMBERS.replace("gw-1", "gw-2") + ", lease: 5s",
                "buckets: [ { name: data, backend: far, coherence: strong } ]\n"));

        MillraceSettings combined = ReloadableSettings.combine(before, after);

        ClusterSettings own = combined.cluster().orElseThrow();
        assertThat(own.members().get(1).name()).isEqualTo("gw-2");
        assertThat(own.lease()).isEqualTo(Duration.ofSeconds(3));
        assertThat(combined.buckets().get(0).coherence()).contains(Coherence.STRONG);
        assertThat(SettingsComparison.between(before, after))
                .filteredOn(SettingChange::needsRestart)
                .extracting(SettingChange::path)
                .containsExactly("cluster.lease");
    }

    private static ClusterSettings cluster(String rest) throws SettingsException {
        return settings(file(rest, BUCKETS)).cluster().orElseThrow();
    }

    private static String file(String rest, String buckets) {
        return FILE + buckets + "cluster: { " + REST + rest + " }";
    }

    private static MillraceSettings settings(String file) throws SettingsException {
        return SettingsLoader.ofText(file, Map.of()).settings();
    }
}
