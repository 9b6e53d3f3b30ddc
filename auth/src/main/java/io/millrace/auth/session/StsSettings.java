package io.millrace.auth.session;

import io.millrace.config.SettingDescription;
import io.millrace.config.problem.ProblemReporter;
import io.millrace.config.problem.SelfValidatingSettings;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** Settings of temporary credentials: identity providers and the roles that their tokens may assume. */
public record StsSettings(
        @SettingDescription(
                value = "Issue temporary credentials over plain HTTP too. Whoever can listen can then use them.",
                defaultValue = "false")
        boolean plainHttp,

        @SettingDescription(
                value = "How long a key encrypts session tokens until a new one takes its place; those of before are"
                        + " kept as long as a token of theirs can be valid. With 0s the file of the keys is"
                        + " left alone. Without this setting it is 30d, and 0s for a file that has a key"
                        + " without a time. In a cluster it has no effect: its secret gives a key a day.",
                example = "30d")
        Optional<Duration> keyRotation,

        @SettingDescription("The identity providers (OpenID Connect) whose tokens are accepted.")
        List<IssuerSettings> issuers,

        @SettingDescription("The roles that clients may assume. Without roles, there are no temporary credentials.")
        List<RoleSettings> roles)
        implements SelfValidatingSettings {
    private static final Duration SHORTEST_ROTATION = Duration.ofHours(1);

    /** Copies the lists. */
    public StsSettings {
        issuers = List.copyOf(issuers);
        roles = List.copyOf(roles);
    }

    @Override
    public void check(ProblemReporter problems) {
        keyRotation
                .filter(time -> !time.isZero() && time.compareTo(SHORTEST_ROTATION) < 0)
                .ifPresent(time ->
                        problems.add("key-rotation", time, "is too short", "write 1h or more, or 0s for never"));
        Set<String> urls = new HashSet<>();
        for (int i = 0; i < issuers.size(); i++) {
            String url = issuers.get(i).url().toString();
            if (!urls.add(url)) {
                problems.add("issuers[" + i + "].url", url, "is that of an earlier issuer", "write each issuer once");
            }
        }
        Set<String> names = new HashSet<>();
        for (int i = 0; i < roles.size(); i++) {
            RoleSettings role = roles.get(i);
            if (!names.add(role.name())) {
                problems.add(
                        "roles[" + i + "].name",
                        role.name(),
                        "is the name of an earlier role",
                        "give each role its own name");
            }
        }
        for (int i = 0; i < roles.size(); i++) {
            for (String role : roles.get(i).assumingRoles()) {
                if (!names.contains(role)) {
                    problems.add(
                            "roles[" + i + "].assumed-by",
                            role,
                            "is not a role of this file",
                            "write one of sts.roles");
                }
            }
        }
    }
}
