package io.millrace.auth.session;

import io.millrace.auth.oidc.WebIdentity;
import io.millrace.auth.policy.AllowRule;
import io.millrace.auth.policy.GlobPattern;
import io.millrace.auth.policy.IdentityPolicy;
import io.millrace.config.SettingDescription;
import io.millrace.config.problem.ProblemReporter;
import io.millrace.config.problem.SelfValidatingSettings;
import java.time.Duration;
import java.util.List;
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
        String issuer,

        @SettingDescription(
                value = "The subjects that may assume it: the sub claim of their tokens. * stands for any characters,"
                        + " ? for one. Without any, nobody may.",
                example = "[ \"system:serviceaccount:training:*\" ]")
        List<String> subjects,

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
    private static final Pattern NAME = Pattern.compile("[A-Za-z0-9+=,.@_-]{1,64}");

    /** Copies the lists. */
    public RoleSettings {
        subjects = List.copyOf(subjects);
        allow = List.copyOf(allow);
        policies = List.copyOf(policies);
    }

    @Override
    public void check(ProblemReporter problems) {
        if (!problems.hasProblem("name") && !NAME.matcher(name).matches()) {
            problems.add("name", name, "is not a valid name", "write 1 to 64 letters, digits or + = , . @ _ -");
        }
        if (!problems.hasProblem("subjects") && (subjects.isEmpty() || subjects.contains(""))) {
            problems.add("subjects", "", "names nobody", "write at least one subject or pattern");
        }
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

    /** Returns whether {@code identity} may assume the role. */
    public boolean trusts(WebIdentity identity) {
        return issuer.equals(identity.issuer())
                && subjects.stream().anyMatch(subject -> GlobPattern.of(subject).matches(identity.subject()));
    }
}
