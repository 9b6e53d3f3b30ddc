package io.millrace.gateway.app;

import io.millrace.backend.http.BackendTlsSettings;
import io.millrace.config.Reloadable;
import io.millrace.config.Secret;
import io.millrace.config.SettingDescription;
import io.millrace.config.problem.ProblemReporter;
import io.millrace.config.problem.SelfValidatingSettings;
import io.millrace.gateway.cluster.ClusterPlace;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/** The settings of the cluster that this gateway is a member of. */
record ClusterSettings(
        @SettingDescription(
                value = "The name of the cluster, the same at all members: up to 254 letters, digits and . _ -",
                example = "prod")
        String name,

        @SettingDescription(
                value = "The name of this member in the list. Without it, the machine's name up to the first dot.",
                example = "gw-0")
        Optional<String> node,

        @Reloadable
        @SettingDescription(
                value = "All members, this one too, and where they listen for each other: the same list at each. A"
                        + " member's name is its host's up to the first dot, or what stands before = . docs/cluster.md"
                        + " says how to add and remove one.",
                example = "[ \"gw-0.example.org:7800\", \"gw-1.example.org:7800\", \"third=10.0.0.3:7800\" ]")
        List<ListedMember> members,

        @SettingDescription(
                value = "The address and port on which this member listens for the others. Whoever lacks the secret is"
                        + " refused.",
                example = "10.0.0.1:7800")
        HostAndPort listen,

        @SettingDescription(
                value = "The secret by which members know each other, the same at all: 32 characters or more. Better in"
                        + " a file.",
                example = "${CLUSTER_SECRET}")
        Secret secret,

        @SettingDescription(
                value = "How long a member may use what it remembers of buckets with coherence strong after it has"
                        + " heard of the others, 1s to 60s, the same at all members: to change it, stop all of them"
                        + " first. When one fails, writes to such buckets wait for up to 1 s and 1.125 times this,"
                        + " and again after each pause of a member that is slow.",
                defaultValue = "3s")
        Duration lease,

        @Reloadable
        @SettingDescription(
                value = "Where objects are cached. balancer: at the member that a client's request comes to; shared:"
                        + " each at one member, its home, from which the others read it, so that the backend is asked"
                        + " once and N caches hold N times as much. The same at all members; docs/cluster.md says"
                        + " when which is better.",
                defaultValue = "balancer")
        Placement placement,

        @SettingDescription(
                "TLS to other members, used if the S3 port has TLS: all then show the certificate of s3.tls,"
                        + " which must be valid for the hosts of the list.")
        BackendTlsSettings tls)
        implements SelfValidatingSettings {
    private static final int SHORTEST_SECRET = 32;
    private static final int MOST_MEMBERS = 16;
    private static final Duration SHORTEST_LEASE = Duration.ofSeconds(1);
    private static final Duration LONGEST_LEASE = Duration.ofSeconds(60);
    private static final Path MACHINE_NAME = Path.of("/proc/sys/kernel/hostname");

    /** The rule of where objects are cached. */
    enum Placement {
        BALANCER,
        SHARED
    }

    ClusterSettings {
        members = List.copyOf(members);
    }

    /** Returns the name of this member. */
    String self() {
        return node.orElseGet(() -> ListedMember.nameOf(machineName()));
    }

    private static String machineName() {
        try {
            return Files.readString(MACHINE_NAME).strip();
        } catch (IOException unknown) {
            return "localhost";
        }
    }

    @Override
    public void check(ProblemReporter problems) {
        checkName("name", name, problems);
        checkName("node", self(), problems);
        checkMembers(problems);
        if (secret.reveal().length() < SHORTEST_SECRET) {
            problems.add(
                    "secret",
                    "",
                    "is shorter than 32 characters",
                    "write 32 or more, as openssl rand -hex 32 makes them, the same at all members");
        }
        if (lease.compareTo(SHORTEST_LEASE) < 0 || lease.compareTo(LONGEST_LEASE) > 0) {
            problems.add("lease", lease.toMillis() + "ms", "is not between 1s and 60s", "write 3s, or leave it out");
        }
    }

    private static void checkName(String key, String value, ProblemReporter problems) {
        if (!ClusterPlace.isName(value)) {
            problems.add(
                    key,
                    value,
                    "is not a valid name",
                    "write up to 254 letters, digits or . _ - that begin and end with a letter or digit");
        }
    }

    private void checkMembers(ProblemReporter problems) {
        if (problems.hasProblem("members")) {
            return;
        }
        if (members.isEmpty() || members.size() > MOST_MEMBERS) {
            problems.add(
                    "members",
                    members.size(),
                    members.isEmpty() ? "is empty" : "are more members than the 16 that a cluster may have",
                    "list all members, this one too, as [ \"gw-0.example.org:7800\", \"gw-1.example.org:7800\" ]");
            return;
        }
        Set<String> names = new HashSet<>();
        Set<HostAndPort> addresses = new HashSet<>();
        for (int i = 0; i < members.size(); i++) {
            ListedMember member = members.get(i);
            String key = "members[" + i + "]";
            if (!ClusterPlace.isName(member.name())) {
                problems.add(key, member, "has no valid name", "write a name of letters, digits or . _ - before =");
            } else if (!names.add(member.name())) {
                problems.add(
                        key,
                        member,
                        "has the name '%s' as an earlier member has".formatted(member.name()),
                        "leave it out, or write another name before =, as other=" + member.address());
            } else if (!addresses.add(member.address())) {
                problems.add(key, member, "has the address of an earlier member", "leave it out, or correct it");
            }
        }
        if (!names.contains(self()) && !problems.hasProblem("members")) {
            problems.add(
                    node.isPresent() ? "node" : "members",
                    node.orElse(""),
                    "%s not in the list, which has %s"
                            .formatted(
                                    node.isPresent() ? "is" : "this one, '%s', is".formatted(self()),
                                    members.stream().map(ListedMember::name).collect(Collectors.joining(", "))),
                    "write this member's name there as cluster.node, or add it to cluster.members. To remove a member,"
                            + " stop it before it is taken off");
        }
    }
}
