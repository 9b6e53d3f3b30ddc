package io.millrace.auth.policy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.backend.spi.object.BucketName;
import io.millrace.backend.spi.object.ObjectKey;
import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests who a principal is, who answers for it, and whether another one has its rights. */
class PrincipalTest {
    private static final BucketName DATA = new BucketName("data");
    private static final String READ = "'Effect': 'Allow', 'Action': 's3:GetObject', 'Resource': '*'";
    private static final String WRITE = "'Effect': 'Allow', 'Action': 's3:PutObject', 'Resource': '*'";

    @TempDir
    Path folder;

    @Test
    void sessionsHaveNamesOfTheirOwn() {
        Principal session = session(Map.of());
        Principal identity = new Principal("trainer", List.of());

        assertThat(session).hasToString("assumed-role/reader/pod");
        assertThat(session.isSession()).isTrue();
        assertThat(session.role()).isEqualTo("reader");
        assertThat(session.arn()).isEqualTo("arn:aws:sts::000000000000:assumed-role/reader/pod");
        assertThat(Principal.arnOfSession("reader", "pod")).isEqualTo(session.arn());
        assertThat(identity).hasToString("trainer");
        assertThat(identity.isSession()).isFalse();
        assertThat(identity.role()).isNull();
        assertThat(identity.arn()).isEqualTo("arn:aws:iam::000000000000:user/trainer");
    }

    @ParameterizedTest
    @CsvSource({
        "assumed-role/reader/pod, reader, ''",
        "assumed-role/a/b/pod, a/b, ''",
        "assumed-role/reader/person:ada, reader, reader",
        "assumed-role/reader, '', ''",
        "other/reader/person:ada, '', ''",
        "trainer, '', ''"
    })
    void nameOfASessionTellsItsRole(String name, String role, String ofPerson) {
        assertThat(Principal.roleOfSession(name).orElse("")).isEqualTo(role);
        assertThat(Principal.roleOfPerson(name).orElse("")).isEqualTo(ofPerson);
    }

    @ParameterizedTest
    @CsvSource({"team, true", "Cost-Center_1.2:/=+@~, true", "'', false", "a b, false", "ä, false"})
    void namesOfTagsAreRestricted(String name, boolean expected) {
        assertThat(Principal.isTagName(name)).isEqualTo(expected);
        assertThat(Principal.isTagName("a".repeat(128))).isTrue();
        assertThat(Principal.isTagName("a".repeat(129))).isFalse();
    }

    /** Never a name that a client has chosen. */
    @Test
    void someoneAnswersForEachSession() {
        assertThat(new Principal("trainer", List.of()).accountableName()).isEqualTo("trainer");
        assertThat(session(Map.of()).accountableName()).isEqualTo("assumed-role/reader");
        assertThat(session(Map.of()).issuedTo("issuer ada").accountableName()).isEqualTo("issuer ada");
        assertThat(session(Map.of()).issuedTo("issuer ada").assumedBy("trainer").accountableName())
                .isEqualTo("trainer");
        assertThat(session(Map.of()).assumedBy("trainer").sourceIdentity()).isEqualTo("trainer");
        assertThat(session(Map.of()).sourceIdentity()).isNull();
        assertThat(person(Map.of()).accountableName()).isEqualTo("assumed-role/reader/person:ada");
    }

    @Test
    void jobsAreOfThoseWhoCanBeNamed() throws Exception {
        assertThat(new Principal("trainer", List.of()).canOwnJobs()).isTrue();
        assertThat(session(Map.of()).canOwnJobs()).isFalse();
        assertThat(person(Map.of()).canOwnJobs()).isTrue();
        assertThat(person(Map.of("team", "red")).canOwnJobs())
                .as("a tag decides too")
                .isFalse();
        assertThat(person(Map.of()).limitedTo(policy(READ)).canOwnJobs())
                .as("a session policy decides too")
                .isFalse();
    }

    @Test
    void rightsAreThoseOfAnotherIfAllThatDecidesIsEqual() throws Exception {
        Principal plain = session(Map.of(), policy(READ));
        Principal limited = plain.limitedTo(policy(READ));
        RequestSource elsewhere = new RequestSource(InetAddress.getByName("10.1.2.3"), false);

        assertThat(plain.hasRightsOf(session(Map.of(), policy(READ)))).isTrue();
        assertThat(plain.hasRightsOf(plain.from(elsewhere))).isTrue();
        assertThat(plain.hasRightsOf(session(Map.of(), policy(WRITE)))).isFalse();
        assertThat(plain.hasRightsOf(session(Map.of("team", "red"), policy(READ))))
                .isFalse();
        assertThat(plain.hasRightsOf(
                        Principal.ofSession("reader", "other", Map.of(), List.of(), List.of(policy(READ)))))
                .isFalse();
        assertThat(plain.hasRightsOf(limited)).isFalse();
        assertThat(limited.hasRightsOf(plain)).isFalse();
        assertThat(limited.hasRightsOf(plain.limitedTo(policy(READ)))).isTrue();
        assertThat(limited.hasRightsOf(plain.limitedTo(policy(WRITE)))).isFalse();
    }

    /** Tests that what opens by a missing value is closed; what names something else besides is not. */
    @Test
    void missingVariableClosesOnlyWhatItWouldOpen() throws Exception {
        String several = "'Effect': 'Allow', 'Action': 's3:GetObject',"
                + " 'Resource': ['arn:aws:s3:::data/${aws:PrincipalTag/team}/*', 'arn:aws:s3:::data/pub/*']";
        String others = "'Effect': 'Allow', 'Action': 's3:GetObject',"
                + " 'NotResource': 'arn:aws:s3:::data/${aws:PrincipalTag/team}/*'";
        String two = "'Effect': 'Allow', 'Action': 's3:GetObject',"
                + " 'Resource': 'arn:aws:s3:::data/${aws:PrincipalTag/team}/${aws:PrincipalTag/project}/*'";
        Map<String, String> red = Map.of("team", "red", "project", "x");

        assertThat(reads(session(Map.of(), policy(several)), "pub/k")).isTrue();
        assertThat(reads(session(Map.of(), policy(others)), "pub/k")).isFalse();
        assertThat(reads(session(red, policy(others)), "pub/k")).isTrue();
        assertThat(reads(session(red, policy(others)), "red/k")).isFalse();
        assertThat(reads(session(red, policy(two)), "red/x/k")).isTrue();
        assertThat(reads(session(red, policy(two)), "red/red/k")).isFalse();
    }

    @Test
    void conditionsSeeTheConnectionAndTheParameters() throws Exception {
        String encrypted = READ + ", 'Condition': { 'Bool': { 'aws:SecureTransport': 'true' } }";
        String few = "'Effect': 'Allow', 'Action': 's3:ListBucket', 'Resource': '*',"
                + " 'Condition': { 'NumericLessThanEquals': { 's3:max-keys': '10' } }";
        Principal who = new Principal("who", List.of(), List.of(policy(encrypted), policy(few)));
        InetAddress address = InetAddress.getByName("10.1.2.3");

        assertThat(reads(who.from(new RequestSource(address, true)), "k")).isTrue();
        assertThat(reads(who.from(new RequestSource(address, false)), "k")).isFalse();
        assertThat(lists(who, "10")).isTrue();
        assertThat(lists(who, "11")).isFalse();
        assertThat(lists(who, "ten")).as("no number is absent").isFalse();
    }

    @Test
    void rulesAreAboutTheirBucketsAndPrefixes() {
        Principal who = new Principal("who", List.of(AllowRule.parse("list:data/a/*")));
        Authorizer plain = new Authorizer(bucket -> BucketPolicy.NONE);
        Authorizer open = new Authorizer(bucket -> BucketPolicy.granting(Set.of(Right.READ, Right.LIST)));

        assertThat(plain.decide(who, PolicyAction.LIST_BUCKET, new AccessScope.Somewhere(DATA))
                        .isAllowed())
                .isTrue();
        assertThat(plain.decide(who, PolicyAction.LIST_BUCKET, new AccessScope.Somewhere(new BucketName("other")))
                        .isAllowed())
                .isFalse();
        assertThat(open.decide(Principal.ANONYMOUS, PolicyAction.LIST_BUCKET, new AccessScope.Somewhere(DATA))
                        .isAllowed())
                .isTrue();
        assertThat(open.decide(Principal.ANONYMOUS, PolicyAction.GET_OBJECT, new AccessScope.KeysBelow(DATA, "a/"))
                        .isAllowed())
                .isTrue();
        assertThat(open.decide(Principal.ANONYMOUS, PolicyAction.PUT_OBJECT, new AccessScope.KeysBelow(DATA, "a/"))
                        .isAllowed())
                .isFalse();
    }

    @Test
    void denialOfABucketAloneLeavesItsObjects() throws Exception {
        Principal who = new Principal(
                "who",
                List.of(AllowRule.parse("*")),
                List.of(policy("'Effect': 'Deny', 'Action': '*', 'Resource': 'arn:aws:s3:::data'")));
        Authorizer authorizer = new Authorizer(bucket -> BucketPolicy.NONE);

        assertThat(authorizer
                        .decide(who, PolicyAction.GET_OBJECT, new AccessScope.Somewhere(DATA))
                        .isAllowed())
                .isTrue();
        assertThat(authorizer
                        .decide(who, PolicyAction.LIST_BUCKET, new AccessScope.Somewhere(DATA))
                        .isAllowed())
                .isFalse();
    }

    @Test
    void patternsAndRulesAreComparedAsWritten() {
        assertThat(GlobPattern.of("a*")).isEqualTo(GlobPattern.of("a*")).hasSameHashCodeAs(GlobPattern.of("a*"));
        assertThat(GlobPattern.of("a*")).isNotEqualTo(GlobPattern.of("b*")).hasToString("a*");
        assertThat(GlobPattern.of("a*")).isNotEqualTo("a*");
        assertThat(AllowRule.parse("read:a"))
                .isEqualTo(AllowRule.parse("read:a"))
                .hasSameHashCodeAs(AllowRule.parse("read:a"));
        assertThat(AllowRule.parse("read:a")).isNotEqualTo(AllowRule.parse("read:b"));
        assertThat(AllowRule.parse("read:a/" + "k".repeat(2041)).toString()).hasSize(2048);
        assertThatThrownBy(() -> AllowRule.parse("read:a/" + "k".repeat(2042)))
                .hasMessageContaining("2,048 characters");
    }

    @Test
    void readsFilesOfTheLargestSize() throws Exception {
        String statement = "{\"Version\":\"2012-10-17\",\"Statement\":{%s,\"Principal\":\"*\"}}"
                .formatted(READ.replace('\'', '"'));
        Path file = Files.writeString(
                folder.resolve("bucket.json"), statement + " ".repeat(PolicyNode.LARGEST - statement.length()));

        assertThat(BucketPolicy.read(file).statements()).hasSize(1);
    }

    @Test
    void namesOfKeysShowWhereATagStands() {
        assertThat(ConditionKey.names()).contains("aws:PrincipalTag/NAME", "aws:SourceIp");
    }

    private static boolean reads(Principal who, String key) {
        return new Authorizer(bucket -> BucketPolicy.NONE)
                .decide(who, PolicyAction.GET_OBJECT, AccessScope.object(DATA, new ObjectKey(key)))
                .isAllowed();
    }

    private static boolean lists(Principal who, String maxKeys) {
        return new Authorizer(bucket -> BucketPolicy.NONE)
                .decide(
                        who,
                        PolicyAction.LIST_BUCKET,
                        AccessScope.bucket(DATA)
                                .with(name -> name.equals("max-keys") ? Optional.of(maxKeys) : Optional.empty()))
                .isAllowed();
    }

    private static Principal session(Map<String, String> tags, IdentityPolicy... policies) {
        return Principal.ofSession("reader", "pod", tags, List.of(), List.of(policies));
    }

    private static Principal person(Map<String, String> tags) {
        return Principal.ofSession("reader", Principal.sessionOfPerson("ada"), tags, List.of(), List.of());
    }

    private static IdentityPolicy policy(String elements) throws Exception {
        String json = "{ 'Version': '2012-10-17', 'Statement': { %s } }"
                .formatted(elements)
                .replace('\'', '"');
        return new IdentityPolicy(PolicyReader.parse(json.getBytes(StandardCharsets.UTF_8), "test.json", false));
    }
}
