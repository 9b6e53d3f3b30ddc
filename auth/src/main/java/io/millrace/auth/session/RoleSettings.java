package io.millrace.auth.session;

import io.millrace.auth.oidc.WebIdentity;
import io.millrace.auth.policy.AllowRule;
import io.millrace.auth.policy.GlobPattern;
import io.millrace.auth.policy.IdentityPolicy;
import io.millrace.auth.policy.Principal;
import io.millrace.config.SettingDescription;
import io.millrace.config.problem.ProblemReporter;
import io.millrace.config.problem.SelfValidatingSettings;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;

/** Settings of one role: whose tokens may assume it, and what its sessions may do. */
public record RoleSettings(
        @SettingDescription(
                value = "The name of the role. Clients write it as arn:aws:iam::000000000000:role/NAME.",
                example = "trainer")
        String name,

        @SettingDescription(
                value = "The URL of the issuer whose tokens may assume the role, one of sts.issuers.",
                example = "https://login.example.org/realms/research")
        Optional<String> issuer,

        @SettingDescription(
                value = "The subjects that may assume it: the sub claim of their tokens. * stands for any characters,"
                        + " ? for one. Without any, nobody may.",
                example = "[ \"system:serviceaccount:training:*\" ]")
        List<String> subjects,

        @SettingDescription(
                value = "Who may assume it by AssumeRole: user/NAME for an identity, role/NAME for sessions of a role."
                        + " Without any, nobody may.",
                example = "[ user/alice, role/trainer ]")
        List<String> assumedBy,

        @SettingDescription(
                value = "What its sessions may do, as an identity's allow.",
                example = "[ \"read,list:imagenet/train/*\" ]")
        List<AllowRule> allow,

        @SettingDescription(
                value = "Files with IAM policies, as an identity's policies.",
                example = "[ policies/trainer.json ]")
        List<IdentityPolicy> policies,

        @SettingDescription(
                value = "The longest lifetime of its sessions, 15m to 12h. Clients that ask for none get 1h, or this if"
                        + " it is shorter.",
                defaultValue = "1h")
        Duration maxDuration)
        implements SelfValidatingSettings {
    /** The shortest lifetime of a session, that of AWS. */
    public static final Duration SHORTEST = Duration.ofMinutes(15);

    private static final Duration LONGEST = Duration.ofHours(12);
    private static final String USER = "user/";
    private static final String ROLE = "role/";
    private static final Pattern CALLER = Pattern.compile("(user|role)/[A-Za-z0-9+=,._@-]{1,64}");
    private static final Pattern NAME = Pattern.compile("[A-Za-z0-9+=,.@_-]{1,64}");

    /** Copies the lists. */
    public RoleSettings {
        subjects = List.copyOf(subjects);
        assumedBy = List.copyOf(assumedBy);
        allow = List.copyOf(allow);
        policies = List.copyOf(policies);
    }

    @Override
    public void check(ProblemReporter problems) {
        if (!problems.hasProblem("name") && !NAME.matcher(name).matches()) {
            problems.add("name", name, "is not a valid name", "write 1 to 64 letters, digits or + = , . @ _ -");
        }
        checkTrust(problems);
        if (!problems.hasProblem("allow")
                && !problems.hasProblem("policies")
                && allow.isEmpty()
                && policies.isEmpty()) {
            problems.add(
                    "allow", "", "is empty, and so is policies", "write at least one rule, such as \"read,list:*\"");
        }
        if (!problems.hasProblem("max-duration")
                && (maxDuration.compareTo(SHORTEST) < 0 || maxDuration.compareTo(LONGEST) > 0)) {
            problems.add("max-duration", maxDuration, "is out of range", "write 15m to 12h");
        }
    }

    private void checkTrust(ProblemReporter problems) {
        if (problems.hasProblem("issuer") || problems.hasProblem("subjects") || problems.hasProblem("assumed-by")) {
            return;
        }
        boolean namesSubjects = !subjects.isEmpty() && !subjects.contains("");
        if (issuer.isPresent() && !namesSubjects) {
            problems.add("subjects", "", "names nobody", "write at least one subject or pattern");
        } else if (issuer.isEmpty() && !subjects.isEmpty()) {
            problems.add("issuer", "", "is missing", "write whose subjects they are, the url of one of sts.issuers");
        } else if (issuer.isEmpty() && assumedBy.isEmpty()) {
            problems.add("issuer", "", "is missing, and so is assumed-by", "say who may assume the role");
        }
        for (String caller : assumedBy) {
            if (!CALLER.matcher(caller).matches()) {
                problems.add("assumed-by", caller, "is neither identity nor role", "write user/NAME or role/NAME");
            }
        }
    }

    /** Returns the names of the identities that may assume the role. */
    public List<String> assumingIdentities() {
        return assuming(USER);
    }

    /** Returns the names of the roles whose sessions may assume it. */
    List<String> assumingRoles() {
        return assuming(ROLE);
    }

    private List<String> assuming(String kind) {
        return assumedBy.stream()
                .filter(caller -> caller.startsWith(kind))
                .map(caller -> caller.substring(kind.length()))
                .toList();
    }

    /** Returns whether a caller who has signed may assume the role. */
    public boolean trusts(Principal caller) {
        String role = caller.role();
        return assumedBy.contains(role == null ? USER + caller.name() : ROLE + role);
    }

    /** Returns whether {@code identity} may assume the role. */
    public boolean trusts(WebIdentity identity) {
        return issuer.isPresent()
                && issuer.get().equals(identity.issuer())
                && subjects.stream().anyMatch(subject -> GlobPattern.of(subject).matches(identity.subject()));
    }
}
