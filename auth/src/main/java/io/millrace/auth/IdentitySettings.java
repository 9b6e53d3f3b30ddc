package io.millrace.auth;

import io.millrace.auth.policy.AllowRule;
import io.millrace.auth.policy.IdentityPolicy;
import io.millrace.auth.policy.Principal;
import io.millrace.config.Secret;
import io.millrace.config.SettingDescription;
import io.millrace.config.problem.ProblemReporter;
import io.millrace.config.problem.SelfValidatingSettings;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/** Settings of one client identity: its name, its key pair and the rules that grant it rights. */
public record IdentitySettings(
        @SettingDescription(value = "The name of the identity in logs. Not part of the key pair.", example = "trainer")
        String name,

        @SettingDescription(
                value = "The access key clients sign with; it travels in the clear. 1 to 128 visible ASCII characters"
                        + " without slash or comma.",
                example = "TRAINER01")
        String accessKey,

        @SettingDescription(
                value = "The secret key that goes with it, 1 to 1,024 characters. Better in a file or the environment.",
                example = "${TRAINER_SECRET}")
        Secret secretKey,

        @SettingDescription(
                value = "What it may do, a list of rules. A rule is rights (read, list, write, delete, view, operate,"
                        + " admin) joined by commas, then a colon, a bucket and, if it is not for all keys, a"
                        + " slash and a pattern of keys. * stands for any characters, slashes too, and in keys"
                        + " ? for one. A rule of just * allows everything. Read does not include list.",
                example = "[ \"read,list:imagenet/train/*\" ]")
        List<AllowRule> allow,

        @SettingDescription(
                value = "Files with IAM policies in JSON, as Amazon has them, besides or in place of allow. What any of"
                        + " them denies is denied, whatever else allows it; docs/policies.md says what they may have.",
                example = "[ policies/trainer.json ]")
        List<IdentityPolicy> policies,

        @SettingDescription("Limits of its requests to the S3 port.")
        IdentityLimitSettings limits)
        implements SelfValidatingSettings {
    private static final Pattern NAME = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._@+-]{0,63}");
    private static final Pattern ACCESS_KEY = Pattern.compile("[!-~&&[^/,]]{1,128}");
    /** Shorter ones are found offline: a signature tells whether a guess is right. */
    private static final int SHORTEST_SECRET = 8;

    private static final int LONGEST_SECRET = 1024;
    private static final int MOST_RULES = 1000;
    private static final int MOST_POLICIES = 10;

    /** Copies the lists. */
    public IdentitySettings {
        allow = List.copyOf(allow);
        policies = List.copyOf(policies);
    }

    /** Creates settings without policies and limits. */
    public IdentitySettings(String name, String accessKey, Secret secretKey, List<AllowRule> allow) {
        this(name, accessKey, secretKey, allow, List.of(), IdentityLimitSettings.NONE);
    }

    @Override
    public void check(ProblemReporter problems) {
        for (Flaw flaw : flaws()) {
            boolean lacksOnlyWhatWasRefused = flaw.key.equals("allow") && problems.hasProblem("policies");
            if (!problems.hasProblem(flaw.key) && !lacksOnlyWhatWasRefused) {
                problems.add(flaw.key, flaw.value, flaw.what, flaw.remedy);
            }
        }
        if (secretKey.reveal().length() < SHORTEST_SECRET) {
            problems.warn(
                    "secret-key",
                    "",
                    "is short: whoever sees one signed request can find it by trying",
                    "write 16 characters or more, as openssl rand -hex 20 makes them");
        }
    }

    /**
     * Requires settings that pass {@link #check}, for settings that were not read from a file.
     *
     * @throws IllegalArgumentException if a value is invalid
     */
    void requireValid() {
        for (Flaw flaw : flaws()) {
            throw new IllegalArgumentException(flaw.key + ' ' + flaw.what + ": " + flaw.remedy);
        }
    }

    private List<Flaw> flaws() {
        List<Flaw> flaws = new ArrayList<>();
        if (!NAME.matcher(name).matches()) {
            flaws.add(new Flaw("name", name, "is not a valid name", "write 1 to 64 letters, digits or . _ @ + -"));
        }
        if (name.equals(Principal.ANONYMOUS.name())) {
            flaws.add(new Flaw("name", name, "stands for requests without a signature", "choose another name"));
        }
        if (!ACCESS_KEY.matcher(accessKey).matches()) {
            String remedy = "write 1 to 128 visible ASCII characters without slash or comma";
            flaws.add(new Flaw("access-key", accessKey, "cannot be sent in a signature", remedy));
        }
        if (secretKey.reveal().length() > LONGEST_SECRET) {
            flaws.add(new Flaw("secret-key", "", "is too long", "write at most 1,024 characters"));
        }
        if (allow.isEmpty() && policies.isEmpty()) {
            String remedy = "write at least one rule, such as \"read,list:*\", or a policy";
            flaws.add(new Flaw("allow", "", "is empty, and so is policies", remedy));
        }
        if (allow.size() > MOST_RULES) {
            flaws.add(new Flaw("allow", "", "is too long", "write at most 1,000 rules; patterns save many"));
        }
        if (policies.size() > MOST_POLICIES) {
            flaws.add(new Flaw("policies", "", "is too long", "write at most 10 policies"));
        }
        for (IdentityPolicy policy : policies) {
            for (String tag : policy.tags()) {
                String remedy = "leave it out: sessions of roles have tags, identities do not";
                flaws.add(new Flaw("policies", tag, "is asked for as aws:PrincipalTag/" + tag, remedy));
            }
        }
        return flaws;
    }

    /** An invalid value and its remedy; the value is empty if it must not be shown. */
    private record Flaw(String key, String value, String what, String remedy) {}
}
