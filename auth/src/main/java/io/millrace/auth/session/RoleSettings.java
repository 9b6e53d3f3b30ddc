package io.millrace.auth.session;

import io.millrace.auth.policy.AllowRule;
import io.millrace.auth.policy.GlobPattern;
import io.millrace.auth.policy.IdentityPolicy;
import io.millrace.auth.policy.Principal;
import io.millrace.config.SettingDescription;
import io.millrace.config.problem.ProblemReporter;
import io.millrace.config.problem.SelfValidatingSettings;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
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
                        + " ? for one. Without any, and without claims, nobody may.",
                example = "[ \"system:serviceaccount:training:*\" ]")
        List<String> subjects,

        @SettingDescription(
                value = "Claims that the tokens must have, all of them and the subject, by name: patterns as of"
                        + " subjects, one of which must match; of a claim that is a list, one element must; a"
                        + " nested claim is named by its JSON pointer, such as /kubernetes.io/namespace.",
                example = "{ groups: ml-team }")
        Map<String, List<String>> claims,

        @SettingDescription(
                value = "Who may assume it by AssumeRole: user/NAME for an identity, role/NAME for sessions of a role."
                        + " Without any, nobody may.",
                example = "[ user/alice, role/trainer ]")
        List<String> assumedBy,

        @SettingDescription(
                value = "Claims of the tokens that become tags of the session, which policies compare as"
                        + " aws:PrincipalTag/NAME, or write as ${aws:PrincipalTag/NAME}. A token with several"
                        + " values of one is refused.",
                example = "[ team ]")
        List<String> sessionTags,

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
    private static final int MOST_TAGS = 10;

    /** The limit of AWS. */
    private static final int LONGEST_TAG = 256;

    private static final Pattern NAME = Pattern.compile("[A-Za-z0-9+=,.@_-]{1,64}");

    /** Copies the lists. */
    public RoleSettings {
        subjects = List.copyOf(subjects);
        claims = Map.copyOf(claims);
        assumedBy = List.copyOf(assumedBy);
        sessionTags = List.copyOf(sessionTags);
        allow = List.copyOf(allow);
        policies = List.copyOf(policies);
    }

    @Override
    public void check(ProblemReporter problems) {
        if (!problems.hasProblem("name") && !NAME.matcher(name).matches()) {
            problems.add("name", name, "is not a valid name", "write 1 to 64 letters, digits or + = , . @ _ -");
        }
        checkTrust(problems);
        checkTags(problems);
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
        if (problems.hasProblem("issuer")
                || problems.hasProblem("subjects")
                || problems.hasProblem("claims")
                || problems.hasProblem("assumed-by")) {
            return;
        }
        if (subjects.contains("") || (issuer.isPresent() && subjects.isEmpty() && claims.isEmpty())) {
            problems.add("subjects", "", "names nobody", "write at least one subject or pattern, or claims");
        } else if (issuer.isEmpty() && !(subjects.isEmpty() && claims.isEmpty())) {
            problems.add(
                    "issuer",
                    "",
                    "is missing",
                    "write whose subjects and claims they are, the url of one of sts.issuers");
        } else if (issuer.isEmpty() && assumedBy.isEmpty()) {
            problems.add("issuer", "", "is missing, and so is assumed-by", "say who may assume the role");
        }
        claims.forEach((name, patterns) -> {
            if (name.startsWith("/") && name.indexOf('/', 1) < 0) {
                problems.add("claims." + name, "", "points to a claim at the top", "write " + name.substring(1));
            }
            if (patterns.isEmpty() || patterns.contains("")) {
                problems.add("claims." + name, "", "matches nothing", "write at least one value or pattern");
            }
        });
        for (String caller : assumedBy) {
            if (!CALLER.matcher(caller).matches()) {
                problems.add("assumed-by", caller, "is neither identity nor role", "write user/NAME or role/NAME");
            }
        }
    }

    private void checkTags(ProblemReporter problems) {
        if (problems.hasProblem("session-tags")) {
            return;
        }
        Set<String> names = new TreeSet<>(String.CASE_INSENSITIVE_ORDER);
        for (String tag : sessionTags) {
            if (!Principal.isTagName(tag) || !names.add(tag) || names.size() > MOST_TAGS) {
                problems.add(
                        "session-tags",
                        tag,
                        "cannot be a tag",
                        "write each claim once, at most 10, of letters, digits or _ . : / = + @ ~ -");
            }
        }
        if (!sessionTags.isEmpty() && issuer.isEmpty()) {
            problems.add("session-tags", "", "has no tokens to come from", "write an issuer, or leave it out");
        }
        for (IdentityPolicy policy : policies) {
            for (String tag : policy.tags()) {
                if (!names.contains(tag) && !problems.hasProblem("policies")) {
                    problems.add(
                            "policies",
                            tag,
                            "is asked for as aws:PrincipalTag/" + tag + ", which sessions of this role do not have",
                            "add the claim to session-tags, or leave it out");
                }
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
                && !(subjects.isEmpty() && claims.isEmpty())
                && (subjects.isEmpty() || matches(subjects, identity.subject()))
                && claims.entrySet().stream()
                        .allMatch(claim -> identity.claim(claim.getKey()).stream()
                                .anyMatch(value -> matches(claim.getValue(), value)));
    }

    private static boolean matches(List<String> patterns, String value) {
        return patterns.stream().anyMatch(pattern -> GlobPattern.of(pattern).matches(value));
    }

    /**
     * Returns the tags of a session that {@code identity} assumes; a claim that its token lacks, or has empty, is none:
     * an empty value would make a pattern out of a prefix.
     *
     * @throws IllegalArgumentException if a claim has several values, or a long one; the message names it
     */
    public Map<String, String> tagsOf(WebIdentity identity) {
        Map<String, String> tags = new HashMap<>();
        for (String name : sessionTags) {
            List<String> values = identity.claim(name);
            if (values.size() > 1 || values.stream().anyMatch(value -> value.length() > LONGEST_TAG)) {
                throw new IllegalArgumentException(
                        "The claim %s must have one value of at most %d characters, to be a tag of the session."
                                .formatted(name, LONGEST_TAG));
            }
            values.stream().filter(value -> !value.isEmpty()).forEach(value -> tags.put(name, value));
        }
        return tags;
    }
}
