package io.millrace.gateway.app;

import io.millrace.auth.IdentitySettings;
import io.millrace.auth.policy.AllowRule;
import io.millrace.auth.policy.BucketPolicy;
import io.millrace.auth.policy.GlobPattern;
import io.millrace.auth.session.RoleSettings;
import io.millrace.auth.session.SignInSettings;
import io.millrace.auth.session.StsSettings;
import io.millrace.backend.spi.object.BucketName;
import io.millrace.cache.settings.CacheSettings;
import io.millrace.config.Reloadable;
import io.millrace.config.SelectedByType;
import io.millrace.config.SettingDescription;
import io.millrace.config.SettingsVariant;
import io.millrace.config.problem.ProblemReporter;
import io.millrace.config.problem.SelfValidatingSettings;
import io.millrace.gateway.audit.AuditSettings;
import io.millrace.gateway.jobs.FetchSettings;
import io.millrace.gateway.jobs.JobSettings;
import io.millrace.gateway.objects.bucket.BucketPattern;
import io.millrace.gateway.objects.bucket.BucketPrices;
import io.millrace.gateway.objects.bucket.BucketSettings;
import io.millrace.gateway.objects.bucket.Coherence;
import io.millrace.gateway.objects.bucket.DerivedSettings;
import io.millrace.gateway.objects.bucket.PriceSettings;
import io.millrace.gateway.objects.bucket.ResidencyGroupFactory;
import io.millrace.gateway.s3.hub.HubSettings;
import io.millrace.gateway.s3.observe.AccessLogSettings;
import io.millrace.gateway.s3.protocol.KnownFieldNames;
import io.millrace.gateway.s3.server.S3Settings;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;

/** The operator's settings file as a whole. */
public record MillraceSettings(
        @SettingDescription("Where S3 is served.") S3Settings s3,

        @SettingDescription("Where health, metrics, the control API and the console are served.")
        ControlPlaneSettings admin,

        @SettingDescription(
                "The Hub port: a Hugging Face Hub for HF_ENDPOINT, answered from the cache. Without this section"
                        + " there is none.")
        Optional<HubSettings> hub,

        @SettingDescription(
                "The cluster: several gateways as one. Without this section this gateway knows of no other.")
        Optional<ClusterSettings> cluster,

        @SettingDescription(
                value = "The folder for persistent state: job records, generated keys, embedded defaults.",
                defaultValue = "./data")
        Path data,

        @SettingDescription("The cache. Without a disk every read is streamed through from its backend.")
        CacheSettings cache,

        @Reloadable
        @SettingDescription("The backends, where objects live, by names of your choice.")
        @SelectedByType(family = BackendTypeRegistry.FAMILY)
        Map<String, SettingsVariant> backends,

        @Reloadable
        @SettingDescription(
                "The buckets that clients see. The first entry that matches a name applies; a name that matches none"
                        + " does not exist.")
        List<BucketSettings> buckets,

        @SettingDescription(
                "Prices of reads by backend name, to report how much money the cache saves. Without prices, only"
                        + " saved requests and bytes are reported.")
        Map<String, PriceSettings> prices,

        @SettingDescription("Jobs: work on many objects, such as prefetches and copies.")
        JobSettings jobs,

        @SettingDescription("Limits of downloads from the web by jobs.")
        FetchSettings downloads,

        @SettingDescription("The audit log: who did what, from where, and whether it was allowed.")
        AuditSettings audit,

        @SettingDescription("The log: messages for operators, on standard output.")
        LogSettings log,

        @Reloadable
        @SettingDescription("Identities, their credentials and rights. A file without identities is refused.")
        List<IdentitySettings> identities,

        @Reloadable
        @SettingDescription("Temporary credentials by tokens of identity providers, as AWS STS issues them.")
        StsSettings sts)
        implements SelfValidatingSettings {
    private static final String HUB = "hub";

    public MillraceSettings {
        backends = Map.copyOf(backends);
        buckets = List.copyOf(buckets);
        prices = Map.copyOf(prices);
        identities = List.copyOf(identities);
    }

    @Override
    public void check(ProblemReporter problems) {
        checkPorts(problems);
        checkLogs(problems);
        hub.ifPresent(port -> checkHub(port, problems));
        cluster.ifPresent(member -> checkClusterPort(member.listen(), problems));
        checkCoherence(problems);
        DerivedSettings.check(problems);
        checkBuckets(problems);
        ResidencyGroupFactory.check(buckets, problems);
        BucketPrices.check(buckets, problems);
        checkPrices(problems);
        checkIdentities(problems);
        checkBucketPolicies(problems);
        checkRoles(problems);
    }

    /** Returns the prices of reads of a backend's bucket, if the settings have any. */
    public Optional<PriceSettings> pricesOf(String backend, BucketName real) {
        return BucketPrices.of(buckets, backend, real).or(() -> Optional.ofNullable(prices.get(backend)));
    }

    /** Returns where this gateway listens for the other members of its cluster; empty if it is in none. */
    public Optional<InetSocketAddress> clusterPort() {
        return cluster.map(own -> own.listen().unresolved());
    }

    /** Returns where the other members of the cluster listen, by name; empty if this gateway is in none. */
    public SortedMap<String, InetSocketAddress> otherMembers() {
        SortedMap<String, InetSocketAddress> others = new TreeMap<>();
        cluster.ifPresent(own -> own.members().stream()
                .filter(member -> !member.name().equals(own.self()))
                .forEach(member -> others.put(member.name(), member.address().unresolved())));
        return others;
    }

    private void checkPrices(ProblemReporter problems) {
        prices.keySet().stream()
                .filter(name -> !backends.containsKey(name) && !problems.hasProblem("backends." + name))
                .sorted()
                .forEach(name -> problems.add(
                        "prices." + name,
                        "",
                        "is not a backend of this file",
                        "write one of " + backends.keySet().stream().sorted().toList()));
    }

    private void checkPorts(ProblemReporter problems) {
        if (s3.port() != 0 && s3.port() == admin.port() && s3.address().equals(admin.address())) {
            addClash("admin", "s3", "is the port of s3 too", admin.port(), problems);
        }
    }

    /** Reports one port of two sections at the one that is written: the other one's default has no line. */
    private static void addClash(String section, String other, String what, int port, ProblemReporter problems) {
        boolean isWritten = problems.isWritten(section + ".port") || !problems.isWritten(other + ".port");
        problems.add(
                isWritten ? section + ".port" : other + ".port",
                port,
                isWritten ? what : "is the port of %s too".formatted(section),
                "give each its own, such as 9080, 9081 and 9082");
    }

    private void checkLogs(ProblemReporter problems) {
        Optional<Path> file = s3.accessLog().flatMap(AccessLogSettings::file);
        if (file.isPresent() && file.equals(audit.path())) {
            problems.add("s3.access-log.path", file.get(), "is the file of the audit log too", "give each its own");
        }
    }

    private void checkHub(HubSettings port, ProblemReporter problems) {
        boolean isOfS3 = port.port() == s3.port() && port.address().equals(s3.address());
        boolean isOfAdmin = port.port() == admin.port() && port.address().equals(admin.address());
        if (port.port() != 0 && (isOfS3 || isOfAdmin)) {
            addClash(HUB, isOfS3 ? "s3" : "admin", "is the port of s3 or admin too", port.port(), problems);
        }
        SettingsVariant backend = backends.get(port.backend());
        boolean isHub = backend != null && backend.type().equals(HUB);
        if (!isHub && !problems.hasProblem("backends." + port.backend())) {
            problems.add(
                    "hub.backend",
                    port.backend(),
                    backend == null ? "is not a backend of this file" : "is a backend of type " + backend.type(),
                    "write the name of a backend of type hub");
        }
    }

    private void checkClusterPort(HostAndPort listen, ProblemReporter problems) {
        Map<String, HostAndPort> others = new TreeMap<>();
        others.put("s3.port", new HostAndPort(s3.address(), s3.port()));
        s3.plainPort().ifPresent(port -> others.put("s3.plain-port", new HostAndPort(s3.address(), port)));
        others.put("admin.port", new HostAndPort(admin.address(), admin.port()));
        hub.ifPresent(port -> others.put("hub.port", new HostAndPort(port.address(), port.port())));
        others.forEach((key, other) -> {
            boolean isSameHost = other.host().equals(listen.host()) || isWildcard(other) || isWildcard(listen);
            if (listen.port() != 0 && listen.port() == other.port() && isSameHost) {
                problems.add(
                        "cluster.listen", listen, "is the port of " + key + " too", "give it its own, such as 7800");
            }
        });
    }

    private static boolean isWildcard(HostAndPort address) {
        return address.host().equals("0.0.0.0") || address.host().equals("::");
    }

    private void checkCoherence(ProblemReporter problems) {
        for (int i = 0; i < buckets.size(); i++) {
            Optional<Coherence> promise = buckets.get(i).coherence();
            if (promise.isPresent() && cluster.isEmpty() && !problems.hasProblem("cluster")) {
                problems.add(
                        "buckets[" + i + "].coherence",
                        promise.get().name().toLowerCase(Locale.ROOT),
                        "is a promise across the members of a cluster, and there is none",
                        "add the section cluster, or leave it out");
            }
        }
    }

    private void checkBuckets(ProblemReporter problems) {
        if (buckets.isEmpty() && !problems.hasProblem("buckets")) {
            problems.add(
                    "buckets", "", "there are none, so nothing could be read", "add { name: \"*\", backend: NAME }");
        }
        for (int i = 0; i < buckets.size(); i++) {
            checkReachable(i, problems);
            checkLikelyMistakes(i, problems);
            for (String field : buckets.get(i).forwardUnknown()) {
                if (KnownFieldNames.contains(field)) {
                    problems.add(
                            "buckets[" + i + "].forward-unknown",
                            field,
                            "is known to Millrace, which serves it where it can",
                            "leave it out");
                }
            }
            if (buckets.get(i).derived().isEmpty() && !problems.hasProblem("buckets[" + i + "].derived")) {
                checkBackend("buckets[" + i + "].backend", buckets.get(i).backend(), problems);
            }
        }
    }

    private void checkBackend(String key, String backend, ProblemReporter problems) {
        if (backend.isEmpty()) {
            problems.add(
                    key, "", "is missing", "write the name of a backend of this file, or what it is 'derived' from");
        } else if (!backends.containsKey(backend) && !problems.hasProblem("backends." + backend)) {
            problems.add(
                    key,
                    backend,
                    "is not a backend of this file",
                    backends.isEmpty()
                            ? "add it under backends"
                            : "write one of "
                                    + backends.keySet().stream().sorted().toList());
        }
    }

    private static boolean hasCapitals(String name) {
        return !name.equals(name.toLowerCase(Locale.ROOT));
    }

    private boolean isOnS3(BucketSettings bucket) {
        SettingsVariant backend = backends.get(bucket.backend());
        return backend != null && backend.type().equals("s3");
    }

    /** Warns of what is valid and hardly meant. */
    private void checkLikelyMistakes(int index, ProblemReporter problems) {
        BucketSettings bucket = buckets.get(index);
        String name = bucket.name().value();
        if (hasCapitals(name)) {
            problems.warn(
                    "buckets[" + index + "].name",
                    name,
                    "has capitals, which most clients refuse in the name of a bucket",
                    "write it in small letters; the name at the backend goes into 'bucket'");
        }
        bucket.bucket()
                .map(BucketName::value)
                .filter(real -> hasCapitals(real) && isOnS3(bucket))
                .ifPresent(real -> problems.warn(
                        "buckets[" + index + "].bucket",
                        real,
                        "has capitals, which S3 servers refuse in the name of a bucket, but for old buckets at Amazon",
                        "write the name as the backend lists it"));
        checkNameAtBackend(index, problems);
        String prefix = bucket.prefix();
        if (prefix.startsWith("/")) {
            problems.warn(
                    "buckets[" + index + "].prefix",
                    prefix,
                    "begins with a slash: only keys that begin with one belong to the bucket",
                    "leave the slash at the beginning out, unless the keys have it");
        } else if (!prefix.isEmpty() && !prefix.endsWith("/")) {
            problems.warn(
                    "buckets[" + index + "].prefix",
                    prefix,
                    "does not end with a slash: keys such as '%s2/x' belong to the bucket too".formatted(prefix),
                    "write '%s/', unless that is meant".formatted(prefix));
        }
    }

    /** Warns of a name that no bucket of the backend can have, as far as the type of the backend tells. */
    private void checkNameAtBackend(int index, ProblemReporter problems) {
        BucketSettings bucket = buckets.get(index);
        SettingsVariant backend = backends.get(bucket.backend());
        String real =
                bucket.bucket().map(BucketName::value).orElse(bucket.name().value());
        if (backend == null || !BucketName.isValid(real)) { // a pattern is no name
            return;
        }
        BackendTypeRegistry.ruleAgainst(backend, new BucketName(real))
                .ifPresent(rule -> problems.warn(
                        "buckets[%d].%s".formatted(index, bucket.bucket().isPresent() ? "bucket" : "name"),
                        real,
                        "is the name of no bucket at this backend, so clients are answered 404. " + rule,
                        "write the name of a bucket there as 'bucket'"));
    }

    /**
     * Reports an entry that no name reaches, since an earlier one matches all that it does: its bucket would be another
     * one.
     */
    private void checkReachable(int index, ProblemReporter problems) {
        BucketPattern name = buckets.get(index).name();
        buckets.subList(0, index).stream()
                .map(BucketSettings::name)
                .filter(earlier -> earlier.covers(name))
                .findFirst()
                .ifPresent(earlier -> problems.add(
                        "buckets[" + index + "].name",
                        name.value(),
                        "is never used: the entry '%s' before it applies to this name too".formatted(earlier.value()),
                        earlier.equals(name)
                                ? "write one entry, or give this one another name"
                                : "move it before that entry, as the first that matches applies, or leave it out"));
    }

    private void checkIdentities(ProblemReporter problems) {
        if (identities.isEmpty() && !problems.hasProblem("identities")) {
            problems.add(
                    "identities",
                    "",
                    "there are none, so nobody could sign a request",
                    "add { name: admin, access-key: ..., secret-key-file: ..., allow: \"*\" }");
        }
        Set<String> names = new HashSet<>();
        Set<String> keys = new HashSet<>();
        for (int i = 0; i < identities.size(); i++) {
            IdentitySettings identity = identities.get(i);
            if (!names.add(identity.name())) {
                problems.add("identities[" + i + "].name", identity.name(), "is used twice", "give each its own name");
            }
            if (!keys.add(identity.accessKey())) {
                problems.add(
                        "identities[" + i + "].access-key",
                        identity.accessKey(),
                        "is used twice",
                        "give each identity its own access key");
            }
            checkAllowed("identities[" + i + "].allow", identity.allow(), problems);
        }
    }

    /** Warns of rules for buckets that the file does not have: most likely the name is misspelt. */
    private void checkAllowed(String key, List<AllowRule> rules, ProblemReporter problems) {
        for (int i = 0; i < rules.size() && !problems.hasProblem("buckets"); i++) {
            GlobPattern bucket = rules.get(i).bucket();
            if (buckets.stream().noneMatch(entry -> entry.name().meets(bucket))) {
                String element = key + "[" + i + "]";
                problems.warn(
                        problems.isWritten(element) ? element : key,
                        rules.get(i),
                        "is for a bucket that no entry of buckets names, and no pattern: it allows nothing",
                        "write the name of a bucket as clients use it, or add the bucket");
            }
        }
    }

    private void checkRoles(ProblemReporter problems) {
        Set<String> names = identities.stream().map(IdentitySettings::name).collect(Collectors.toSet());
        checkIssuers(problems);
        admin.oidc().ifPresent(signIn -> checkSignIn(signIn, problems));
        for (int i = 0; i < sts.roles().size(); i++) {
            for (String identity : sts.roles().get(i).assumingIdentities()) {
                if (!names.contains(identity) && !problems.hasProblem("identities")) {
                    problems.add(
                            "sts.roles[" + i + "].assumed-by",
                            identity,
                            "is not an identity of this file",
                            "write user/ and the name of an identity");
                }
            }
        }
    }

    private void checkIssuers(ProblemReporter problems) {
        Set<String> urls =
                sts.issuers().stream().map(issuer -> issuer.url().toString()).collect(Collectors.toSet());
        admin.oidc().ifPresent(signIn -> urls.add(signIn.issuer().toString()));
        for (int i = 0; i < sts.roles().size(); i++) {
            String issuer = sts.roles().get(i).issuer().orElse("");
            if (!issuer.isEmpty() && !urls.contains(issuer) && !problems.hasProblem("sts.issuers")) {
                problems.add(
                        "sts.roles[" + i + "].issuer",
                        issuer,
                        "is not an issuer of this file",
                        "write the url of one of sts.issuers, or the issuer of admin.oidc");
            }
        }
    }

    private void checkSignIn(SignInSettings signIn, ProblemReporter problems) {
        for (String name : signIn.roles()) {
            Optional<RoleSettings> role =
                    sts.roles().stream().filter(one -> one.name().equals(name)).findFirst();
            if (role.isEmpty()) {
                problems.add("admin.oidc.roles", name, "is not a role of this file", "write names of sts.roles");
            } else if (!role.get().issuer().equals(Optional.of(signIn.issuer().toString()))) {
                problems.add(
                        "admin.oidc.roles",
                        name,
                        "is a role for another issuer",
                        "give the role this issuer, or leave it out here");
            }
        }
    }

    private void checkBucketPolicies(ProblemReporter problems) {
        Set<String> names = identities.stream().map(IdentitySettings::name).collect(Collectors.toSet());
        for (int i = 0; i < buckets.size(); i++) {
            BucketPolicy policy = buckets.get(i).policy().orElse(BucketPolicy.NONE);
            checkTags(policy, "buckets[" + i + "].policy", problems);
            Set<String> unknown = new TreeSet<>(policy.identities());
            unknown.removeAll(names);
            if (!unknown.isEmpty() && !problems.hasProblem("identities")) {
                problems.add(
                        "buckets[" + i + "].policy",
                        "",
                        "names identities that this file does not have: " + String.join(", ", unknown),
                        "write the name of an identity, or leave them out");
            }
        }
    }

    private void checkTags(BucketPolicy policy, String key, ProblemReporter problems) {
        Set<String> known = new TreeSet<>(String.CASE_INSENSITIVE_ORDER);
        sts.roles().forEach(role -> known.addAll(role.sessionTags()));
        for (String tag : policy.tags()) {
            if (!known.contains(tag) && !problems.hasProblem("sts")) {
                problems.add(
                        key,
                        tag,
                        "is asked for as aws:PrincipalTag/" + tag + ", which no session has",
                        "add the claim to session-tags of a role, or leave it out");
            }
        }
    }
}
