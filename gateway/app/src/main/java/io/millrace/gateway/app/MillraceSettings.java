package io.millrace.gateway.app;

import io.millrace.auth.IdentitySettings;
import io.millrace.auth.policy.BucketPolicy;
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
import io.millrace.gateway.control.ScheduleSettings;
import io.millrace.gateway.jobs.FetchSettings;
import io.millrace.gateway.jobs.JobSettings;
import io.millrace.gateway.jobs.WebhookSettings;
import io.millrace.gateway.objects.bucket.BucketPattern;
import io.millrace.gateway.objects.bucket.BucketPrices;
import io.millrace.gateway.objects.bucket.BucketSettings;
import io.millrace.gateway.objects.bucket.Coherence;
import io.millrace.gateway.objects.bucket.DerivedSettings;
import io.millrace.gateway.objects.bucket.PriceSettings;
import io.millrace.gateway.objects.bucket.ResidencyGroupFactory;
import io.millrace.gateway.objects.derived.TransformSettings;
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
import java.util.regex.Pattern;
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

        @Reloadable
        @SettingDescription(
                "Services that make new objects of others, by names of your choice, for buckets that are derived by one"
                        + " (docs/transforms.md).")
        Map<String, TransformSettings> transforms,

        @SettingDescription(
                "Prices of reads by backend name, to report how much money the cache saves. Without prices, only"
                        + " saved requests and bytes are reported.")
        Map<String, PriceSettings> prices,

        @SettingDescription("Jobs: work on many objects, such as prefetches and copies.")
        JobSettings jobs,

        @Reloadable
        @SettingDescription(
                "Jobs that are submitted at their times, by names of your choice (docs/jobs.md). Not under the section"
                        + " cluster, whose members would each submit them.")
        Map<String, ScheduleSettings> schedules,

        @SettingDescription(
                "Who is sent a signed message when a job has ended, by names of your choice (docs/jobs.md).")
        Map<String, WebhookSettings> webhooks,

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

    /** Each is looked at once a second, and has a meter. */
    private static final int MOST_SCHEDULES = 100;

    /** Goes into client tokens. */
    private static final Pattern SCHEDULE_NAME = Pattern.compile("[A-Za-z0-9_-]{1,64}");

    public MillraceSettings {
        backends = Map.copyOf(backends);
        buckets = List.copyOf(buckets);
        prices = Map.copyOf(prices);
        schedules = Map.copyOf(schedules);
        webhooks = Map.copyOf(webhooks);
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
        checkSchedules(problems);
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
            addClash("admin", "s3", admin.port(), problems);
        }
    }

    /** Reports one port of two sections at the one that is written: the other one's default has no line. */
    private static void addClash(String section, String other, int port, ProblemReporter problems) {
        boolean isWritten = problems.isWritten(section + ".port") || !problems.isWritten(other + ".port");
        problems.add(
                isWritten ? section + ".port" : other + ".port",
                port,
                "is the port of %s too".formatted(isWritten ? other : section),
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
            addClash(HUB, isOfS3 ? "s3" : "admin", port.port(), problems);
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
        LikelyMistakeCheck mistakes = new LikelyMistakeCheck(backends, buckets);
        for (int i = 0; i < buckets.size(); i++) {
            checkReachable(i, problems);
            mistakes.checkBucket(i, problems);
            for (String field : buckets.get(i).forwardUnknown()) {
                if (KnownFieldNames.contains(field)) {
                    problems.add(
                            "buckets[" + i + "].forward-unknown",
                            field,
                            "is known to Millrace, which serves it where it can",
                            "leave it out");
                }
            }
            checkTransform(i, problems);
            String entry = "buckets[" + i + "]";
            if (buckets.get(i).scratch().isPresent()) {
                checkScratch(entry + ".scratch", problems);
            } else if (buckets.get(i).derived().isEmpty()
                    && !problems.hasProblem(entry + ".derived")
                    && !problems.hasProblem(entry + ".scratch")) {
                checkBackend(entry + ".backend", buckets.get(i).backend(), problems);
            }
        }
    }

    private void checkTransform(int index, ProblemReporter problems) {
        buckets.get(index)
                .derived()
                .flatMap(DerivedSettings::transform)
                .filter(name -> !transforms.containsKey(name) && !problems.hasProblem("transforms." + name))
                .ifPresent(name -> problems.add(
                        "buckets[" + index + "].derived.transform",
                        name,
                        "is not a transform of this file",
                        transforms.isEmpty()
                                ? "add it under transforms"
                                : "write one of "
                                        + transforms.keySet().stream().sorted().toList()));
    }

    private void checkScratch(String key, ProblemReporter problems) {
        if (cache.disks().isEmpty() && !problems.hasProblem("cache")) {
            problems.add(key, "", "has no disk for its objects", "add a disk to cache.disks");
        }
        if (cluster.isPresent()) {
            problems.add(
                    key,
                    "",
                    "is of one gateway, and the members of a cluster would each have other objects in it",
                    "leave it out here, and serve it from a gateway without the section cluster");
        }
    }

    private void checkBackend(String key, String backend, ProblemReporter problems) {
        if (backend.isEmpty()) {
            problems.add(
                    key,
                    "",
                    "is missing",
                    "write the name of a backend of this file, or what it is 'derived' from, or 'scratch'");
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
        LikelyMistakeCheck mistakes = new LikelyMistakeCheck(backends, buckets);
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
            mistakes.checkAllowed("identities[" + i + "].allow", identity.allow(), problems);
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

    private void checkSchedules(ProblemReporter problems) {
        if (cluster.isPresent() && !schedules.isEmpty()) {
            problems.add(
                    "schedules",
                    "",
                    "are of one gateway, and each member of a cluster would submit the jobs",
                    "leave them out here, and submit the jobs from outside, as by a CronJob of Kubernetes");
        }
        if (schedules.size() > MOST_SCHEDULES) {
            problems.add("schedules", "", "are more than " + MOST_SCHEDULES, "let one job select more");
        }
        Set<String> names = identities.stream().map(IdentitySettings::name).collect(Collectors.toSet());
        schedules.forEach((name, schedule) -> {
            if (!SCHEDULE_NAME.matcher(name).matches()) {
                problems.add(
                        "schedules." + name, "", "is no name of a schedule", "write up to 64 letters, digits, - and _");
            }
            if (!names.contains(schedule.identity()) && !problems.hasProblem("identities")) {
                problems.add(
                        "schedules." + name + ".identity",
                        schedule.identity(),
                        "is not an identity of this file",
                        "write the name of one of identities");
            }
        });
    }
}
