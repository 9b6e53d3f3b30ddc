package io.millrace.auth.policy;

import static io.millrace.auth.policy.ShortStatements.parse;
import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.backend.spi.object.BucketName;
import io.millrace.backend.spi.object.ObjectKey;
import io.millrace.config.problem.InvalidValueException;
import java.net.InetAddress;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** Tests what is asked besides whether one request is allowed: of versions, whole buckets, everything, policies. */
class AuthorizerQuestionsTest {
    private static final BucketName DATA = new BucketName("data");
    private static final BucketName OTHER = new BucketName("other");
    private static final AccessScope.Resource BUCKET = AccessScope.bucket(DATA);
    private static final AccessScope.Resource OBJECT = object("a/k");
    private static final String READ = "{ ALLOW, 'Action': 's3:GetObject', 'Resource': '*' }";
    private static final String READ_VERSION = "{ ALLOW, 'Action': 's3:GetObjectVersion', 'Resource': '*' }";
    private static final String DENY_ALL = "{ DENY, ALL }";

    private final Authorizer authorizer = new Authorizer(bucket -> BucketPolicy.NONE);

    @Test
    void versionNeedsARightOfItsOwn() throws Exception {
        assertThat(allowsOnVersion(READ, Optional.empty())).isTrue();
        assertThat(allowsOnVersion(READ, Optional.of("v1"))).isFalse();
        assertThat(allowsOnVersion(READ, Optional.of("null"))).isFalse();
        assertThat(allowsOnVersion(READ_VERSION, Optional.empty())).isFalse();
        assertThat(allowsOnVersion(READ_VERSION, Optional.of("v1"))).isTrue();
        assertThat(allowsOnVersion(READ_VERSION, Optional.of("null")))
                .as("may be the object itself")
                .isFalse();
        assertThat(allowsOnVersion(READ + ", " + READ_VERSION, Optional.of("null")))
                .isTrue();
    }

    @ParameterizedTest
    @EnumSource(PolicyAction.class)
    void actionOnAVersionHasTheNameOfTheAction(PolicyAction action) {
        Optional<PolicyAction> named = PolicyAction.named(action.wireName().replace("Object", "ObjectVersion"));

        assertThat(action.ofVersion()).isEqualTo(named.orElse(action));
    }

    @Test
    void rightIsAllThatItIsMadeOf() throws Exception {
        Principal writer = identity("{ ALLOW, ALL }");
        Principal withoutTags = identity("{ ALLOW, ALL }, { DENY, 'Action': 's3:PutObjectTagging', 'Resource': '*' }");
        Principal reader = identity(READ);

        assertThat(authorizer.decide(writer, Right.WRITE, OBJECT).isAllowed()).isTrue();
        assertThat(authorizer.decide(withoutTags, Right.WRITE, OBJECT).isAllowed())
                .isFalse();
        assertThat(authorizer.decide(reader, Right.WRITE, OBJECT).isAllowed()).isFalse();
        assertThat(authorizer.decide(reader, Right.LIST, BUCKET).isAllowed()).isFalse();
        assertThat(authorizer.decide(reader, Right.LIST, OBJECT).isAllowed())
                .as("nothing of it is about objects")
                .isTrue();
        assertThat(authorizer.decide(reader, Right.WRITE, BUCKET).isAllowed())
                .as("nothing of it is about buckets")
                .isTrue();
    }

    @ParameterizedTest
    @EnumSource(Right.class)
    void rightHasTheActionThatItIsMostlyAbout(Right right) {
        assertThat(right.actions()).contains(right.action());
        assertThat(AllowRule.parse(right.text() + ":data").statement().allows()).isTrue();
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '~', textBlock = """
                    { ALLOW, ALL } | false
                    { DENY, ALL } | true
                    { ALLOW, ALL }, { DENY, ALL } | true
                    { DENY, 'Action': 's3:GetObject', 'Resource': '*' } | true
                    { DENY, 'Action': 's3:PutObject', 'Resource': '*' } | false
                    { DENY, 'Action': '*', 'Resource': 'arn:aws:s3:::data/*' } | false
                    { DENY, 'Action': '*', 'NotResource': 'arn:aws:s3:::data/*' } | false
                    { DENY, ALL, 'Condition': { 'Bool': { 'aws:SecureTransport': 'false' } } } | false
                    { DENY, ALL, 'Condition': { 'Bool': { 'aws:SecureTransport': 'true' } } } | true
                    """)
    void everythingIsDeniedByADenialOfEverything(String statements, boolean expected) throws Exception {
        assertThat(authorizer
                        .decide(identity(statements), PolicyAction.GET_OBJECT, AccessScope.ALL_BUCKETS)
                        .isDeniedByStatement())
                .isEqualTo(expected);
        assertThat(authorizer
                        .decide(session("{ ALLOW, ALL }", statements), PolicyAction.GET_OBJECT, AccessScope.ALL_BUCKETS)
                        .isDeniedByStatement())
                .as("by the policy of a session")
                .isEqualTo(expected);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '~', textBlock = """
                    { ALLOW, ALL } | true
                    { ALLOW, ALL }, { DENY, 'Action': 's3:GetObject', 'Resource': 'arn:aws:s3:::data/a/k' } | false
                    { ALLOW, ALL }, { DENY, 'Action': 's3:PutObject', 'Resource': 'arn:aws:s3:::other/*' } | true
                    { ALLOW, ALL }, { DENY, 'Action': 'millrace:Administer', 'Resource': 'arn:aws:s3:::other' } | true
                    """)
    void everywhereIsInEveryBucketOfEveryPolicy(String statements, boolean expected) throws Exception {
        assertThat(authorizer
                        .decide(identity(statements), PolicyAction.GET_OBJECT, AccessScope.ALL_BUCKETS)
                        .isAllowed())
                .isEqualTo(expected);
        assertThat(authorizer
                        .decide(session("{ ALLOW, ALL }", statements), PolicyAction.GET_OBJECT, AccessScope.ALL_BUCKETS)
                        .isAllowed())
                .isEqualTo(expected);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '~', textBlock = """
                    { ALLOW, ALL } | false
                    { ALLOW, ALL }, { DENY, 'Action': 's3:GetObject', 'Resource': 'arn:aws:s3:::data/secret' } | true
                    { ALLOW, ALL }, { DENY, 'Action': 's3:ListBucket', 'Resource': 'arn:aws:s3:::data' } | true
                    { ALLOW, ALL }, { DENY, 'Action': 's3:GetObject', 'Resource': 'arn:aws:s3:::other/secret' } | false
                    { ALLOW, ALL }, { DENY, ALL, 'Condition': { 'Bool': { 'aws:SecureTransport': 'false' } } } | true
                    """)
    void anythingDeniedInABucketMayMatter(String statements, boolean expected) throws Exception {
        Principal who = identity(statements);

        assertThat(authorizer
                        .decide(who, PolicyAction.LIST_BUCKET_VERSIONS, new AccessScope.Undenied(BUCKET))
                        .isAllowed())
                .isEqualTo(!expected);
    }

    @Test
    void policyOfABucketMayDenyToo() throws Exception {
        Principal who = identity("{ ALLOW, ALL }");
        String denial = "{ DENY, 'Principal': { 'AWS': 'arn:aws:iam::000000000000:user/%s' }, 'Action': '*',"
                + " 'Resource': 'arn:aws:s3:::data/secret' }";

        assertThat(of(denial.formatted("who"))
                        .decide(who, PolicyAction.LIST_BUCKET, new AccessScope.Undenied(BUCKET))
                        .isAllowed())
                .isFalse();
        assertThat(of(denial.formatted("else"))
                        .decide(who, PolicyAction.LIST_BUCKET, new AccessScope.Undenied(BUCKET))
                        .isAllowed())
                .isTrue();
        assertThat(authorizer
                        .decide(identity(READ), PolicyAction.LIST_BUCKET, new AccessScope.Undenied(BUCKET))
                        .isAllowed())
                .as("not allowed at all")
                .isFalse();
    }

    @Test
    void denialIsNotTheAbsenceOfARight() throws Exception {
        Principal denied = identity("{ ALLOW, ALL }, { DENY, 'Action': '*', 'Resource': 'arn:aws:s3:::data/a/k' }");

        assertThat(denies(authorizer, denied, "a/k")).isTrue();
        assertThat(denies(authorizer, denied, "b/../a/k"))
                .as("some backends take it for that")
                .isTrue();
        assertThat(denies(authorizer, denied, "b/k")).isFalse();
        assertThat(denies(authorizer, denied, "b/../c/k")).isFalse();
        assertThat(denies(authorizer, identity(READ), "a/k")).isFalse();
        assertThat(denies(authorizer, Principal.ANONYMOUS, "a/k")).isFalse();
        assertThat(denies(of("{ DENY, ALL, 'Principal': '*' }"), identity(READ), "a/k"))
                .isTrue();
        assertThat(denies(of("{ ALLOW, ALL, 'Principal': '*' }"), identity(READ), "a/k"))
                .isFalse();
    }

    @Test
    void explanationOfASessionIsThatOfItsPolicy() throws Exception {
        Principal session = session(
                "{ 'Sid': 'Own', ALLOW, ALL }",
                "{ 'Sid': 'Limit', ALLOW, 'Action': 's3:GetObject', 'Resource': '*' }, { 'Sid': 'No', DENY, 'Action':"
                        + " 's3:GetObject', 'Resource': 'arn:aws:s3:::data/b' }");

        assertThat(explanation(session, "a")).contains("test.json, statement 1 (Limit)");
        assertThat(explanation(session, "b")).contains("test.json, statement 2 (No)");
        assertThat(explanation(session(DENY_ALL, READ), "a")).contains("test.json, statement 1");
        assertThat(authorizer
                        .decide(session, PolicyAction.GET_OBJECT, object("a"))
                        .isAllowed())
                .isTrue();
        assertThat(authorizer
                        .decide(session, PolicyAction.GET_OBJECT, object("b"))
                        .isAllowed())
                .isFalse();
    }

    @Test
    void listingIsAllowedForThePrefixAsFoldersToo() throws Exception {
        Principal who = identity(
                "{ ALLOW, 'Action': 's3:ListBucket', 'Resource': '*', 'Condition': { 'StringLike': { 's3:prefix':"
                        + " 'pub/*' } } }");

        assertThat(authorizer
                        .decide(who, PolicyAction.LIST_BUCKET, AccessScope.listing(DATA, "pub/a/"))
                        .isAllowed())
                .isTrue();
        assertThat(authorizer
                        .decide(who, PolicyAction.LIST_BUCKET, AccessScope.listing(DATA, "pub/./a/"))
                        .isAllowed())
                .isTrue();
        assertThat(authorizer
                        .decide(who, PolicyAction.LIST_BUCKET, AccessScope.listing(DATA, "pub/../secret/"))
                        .isAllowed())
                .isFalse();
    }

    @Test
    void policyOfABucketTellsWhatItIsAbout() throws Exception {
        BucketPolicy policy = bucketPolicy("""
                { 'Sid': 'Here', ALLOW, 'Principal': { 'AWS': ['arn:aws:iam::000000000000:user/b', 'arn:aws:iam::000000000000:user/a'] },
                  'Action': 's3:GetObject', 'Resource': 'arn:aws:s3:::data/*' },
                { 'Sid': 'Variable', ALLOW, 'Principal': '*', 'Action': 's3:GetObject', 'Resource': 'arn:aws:s3:::${aws:username}/*' },
                { 'Sid': 'Tag', ALLOW, 'Principal': '*', 'Action': 's3:GetObject', 'Resource': 'arn:aws:s3:::data/${aws:PrincipalTag/team}' }""");
        BucketPolicy beside = bucketPolicy(
                "{ 'Sid': 'There', ALLOW, 'Principal': '*', 'Action': 's3:ListBucket', 'Resource': 'arn:aws:s3:::other'"
                        + " }");

        assertThat(policy.identities()).containsExactly("a", "b");
        assertThat(policy.tags()).containsExactly("team");
        assertThat(policy.statementBeside(DATA)).isEmpty();
        assertThat(policy.and(beside).statements()).hasSize(4);
        assertThat(policy.and(beside).statementBeside(DATA)).contains("test.json, statement 1 (There)");
        assertThat(beside.statementBeside(OTHER)).isEmpty();
        assertThat(BucketPolicy.granting(Set.of())).isEqualTo(BucketPolicy.NONE);
    }

    @Test
    void statementKeepsItsText() throws Exception {
        PolicyStatement plain = parse(READ, false).get(0);
        PolicyStatement negated = parse(
                        "{ DENY, 'Principal': { 'AWS': '*' }, 'NotAction': 's3:Get*', 'NotResource':"
                                + " ['arn:aws:s3:::data', 'arn:aws:s3:::data/*'], 'Condition': { 'Bool': {"
                                + " 'aws:SecureTransport': true } } }",
                        true)
                .get(0);

        assertThat(plain.text())
                .contains(new StatementText(List.of(), List.of("s3:GetObject"), List.of(), List.of("*"), List.of()));
        assertThat(negated.text())
                .contains(new StatementText(
                        List.of("*"),
                        List.of(),
                        List.of("s3:Get*"),
                        List.of(),
                        List.of("arn:aws:s3:::data", "arn:aws:s3:::data/*")));
        assertThat(plain.hasCondition()).isFalse();
        assertThat(negated.hasCondition()).isTrue();
        assertThat(AllowRule.parse("read:data").statement().text()).isEmpty();
        assertThat(plain).hasToString("test.json, statement 1");
    }

    /** Statements that differ by anything are remembered apart. */
    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '~', textBlock = """
                    { DENY, 'Principal': '*', 'Action': 's3:GetObject', 'Resource': 'arn:aws:s3:::data/a', 'Condition': { 'StringLike': { 'aws:PrincipalTag/a': 'x' } } }
                    { ALLOW, 'Principal': { 'AWS': '000000000000' }, 'Action': 's3:GetObject', 'Resource': 'arn:aws:s3:::data/a', 'Condition': { 'StringLike': { 'aws:PrincipalTag/a': 'x' } } }
                    { ALLOW, 'Principal': '*', 'Action': 's3:PutObject', 'Resource': 'arn:aws:s3:::data/a', 'Condition': { 'StringLike': { 'aws:PrincipalTag/a': 'x' } } }
                    { ALLOW, 'Principal': '*', 'Action': 's3:GetObject', 'Resource': 'arn:aws:s3:::data/b', 'Condition': { 'StringLike': { 'aws:PrincipalTag/a': 'x' } } }
                    { ALLOW, 'Principal': '*', 'Action': 's3:GetObject', 'NotResource': 'arn:aws:s3:::data/a', 'Condition': { 'StringLike': { 'aws:PrincipalTag/a': 'x' } } }
                    { ALLOW, 'Principal': '*', 'Action': 's3:GetObject', 'Resource': 'arn:aws:s3:::data/a', 'Condition': { 'StringNotLike': { 'aws:PrincipalTag/a': 'x' } } }
                    { ALLOW, 'Principal': '*', 'Action': 's3:GetObject', 'Resource': 'arn:aws:s3:::data/a', 'Condition': { 'StringLikeIfExists': { 'aws:PrincipalTag/a': 'x' } } }
                    { ALLOW, 'Principal': '*', 'Action': 's3:GetObject', 'Resource': 'arn:aws:s3:::data/a', 'Condition': { 'StringLike': { 'aws:username': 'x' } } }
                    { ALLOW, 'Principal': '*', 'Action': 's3:GetObject', 'Resource': 'arn:aws:s3:::data/a', 'Condition': { 'StringLike': { 'aws:PrincipalTag/b': 'x' } } }
                    { ALLOW, 'Principal': '*', 'Action': 's3:GetObject', 'Resource': 'arn:aws:s3:::data/a', 'Condition': { 'StringLike': { 'aws:PrincipalTag/a': 'y' } } }
                    { ALLOW, 'Principal': '*', 'Action': 's3:GetObject', 'Resource': 'arn:aws:s3:::data/a' }
                    { 'Sid': 'Named', ALLOW, 'Principal': '*', 'Action': 's3:GetObject', 'Resource': 'arn:aws:s3:::data/a', 'Condition': { 'StringLike': { 'aws:PrincipalTag/a': 'x' } } }
                    """)
    void statementsAreEqualIfAllOfThemIs(String different) throws Exception {
        String statement = "{ ALLOW, 'Principal': '*', 'Action': 's3:GetObject', 'Resource': 'arn:aws:s3:::data/a',"
                + " 'Condition': { 'StringLike': { 'aws:PrincipalTag/a': 'x' } } }";

        assertThat(parse(statement, true)).isEqualTo(parse(statement, true));
        assertThat(parse(statement, true).get(0))
                .hasSameHashCodeAs(parse(statement, true).get(0));
        assertThat(parse(different, true)).isNotEqualTo(parse(statement, true));
    }

    @ParameterizedTest
    @CsvSource({
        "10.0.0.0/9, 10.127.255.255, true",
        "10.0.0.0/9, 10.128.0.0, false",
        "10.0.0.0/8, 10.255.0.1, true",
        "10.0.0.0/8, 11.0.0.0, false",
        "10.1.2.3, 10.1.2.3, true",
        "10.1.2.3, 10.1.2.2, false",
        "10.1.2.2/31, 10.1.2.3, true",
        "10.1.2.2/31, 10.1.2.4, false",
        "0.0.0.0/0, 203.0.113.1, true",
        "0.0.0.0/0, 2001:db8::1, false",
        "::/0, 2001:db8::1, true",
        "::/0, 203.0.113.1, false",
        "10.0.0.0/8, 1::ffff:a00:1, false",
        "2001:db8::/33, 2001:db8:7fff::1, true",
        "2001:db8::/33, 2001:db8:8000::1, false",
        "::ffff:10.0.0.0/104, 10.255.0.1, true",
        "::ffff:10.0.0.0/104, 11.0.0.1, false",
        "::ffff:10.0.0.0/96, 203.0.113.1, true",
        "::ffff:0:0/80, 203.0.113.1, false"
    })
    void rangeHasTheAddressesOfItsBits(String range, String address, boolean expected) throws Exception {
        assertThat(IpRange.parse(range).contains(InetAddress.getByName(address)))
                .isEqualTo(expected);
    }

    @Test
    void rangesAreComparedByNetworkAndBits() {
        assertThat(IpRange.parse("0.0.0.0/0").isEverything()).isTrue();
        assertThat(IpRange.parse("10.0.0.0/8").isEverything()).isFalse();
        assertThat(IpRange.parse("10.0.0.0/8")).isNotEqualTo(IpRange.parse("11.0.0.0/8"));
        assertThat(IpRange.parse("10.0.0.0/8")).hasSameHashCodeAs(IpRange.parse("::ffff:10.0.0.0/104"));
        assertThat(IpRange.find("10.0.0.0/33")).isEmpty();
        assertThat(IpRange.find("10.0.0.0/")).isEmpty();
        assertThat(IpRange.find("fe80::1%eth0")).isEmpty();
    }

    @Test
    void chainsOfProxiesHaveABound() throws Exception {
        TrustedProxies proxies = new TrustedProxies(List.of(IpRange.parse("10.0.0.0/8")));
        RequestSource peer = new RequestSource(InetAddress.getByName("10.9.9.9"), false);

        assertThat(proxies.source(peer, Collections.nCopies(32, "10.0.0.1"), List.of())
                        .address())
                .isEqualTo(InetAddress.getByName("10.0.0.1"));
        assertThat(proxies.source(peer, Collections.nCopies(33, "10.0.0.1"), List.of())
                        .address())
                .isNull();
        assertThat(proxies.contains(null)).isFalse();
    }

    private boolean allowsOnVersion(String statements, Optional<String> versionId) throws Exception {
        return authorizer
                .decide(
                        identity(statements),
                        PolicyAction.GET_OBJECT,
                        new AccessScope.Version(OBJECT.with(RequestParameters.ofVersion(versionId))))
                .isAllowed();
    }

    private Optional<String> explanation(Principal who, String key) {
        return authorizer
                .decide(who, PolicyAction.GET_OBJECT, object(key))
                .statement()
                .map(PolicyStatement::name);
    }

    private static boolean denies(Authorizer authorizer, Principal who, String key) {
        return authorizer.decide(who, PolicyAction.GET_OBJECT, object(key)).isDeniedByStatement();
    }

    private static AccessScope.Resource object(String key) {
        return AccessScope.object(DATA, new ObjectKey(key));
    }

    private static Authorizer of(String statements) throws Exception {
        BucketPolicy policy = bucketPolicy(statements);
        return new Authorizer(bucket -> policy);
    }

    private static BucketPolicy bucketPolicy(String statements) throws InvalidValueException {
        return new BucketPolicy(parse(statements, true));
    }

    private static Principal identity(String statements) throws InvalidValueException {
        return new Principal("who", List.of(), List.of(new IdentityPolicy(parse(statements, false))));
    }

    private static Principal session(String statements, String limit) throws InvalidValueException {
        return Principal.ofSession(
                        "reader", "pod", Map.of(), List.of(), List.of(new IdentityPolicy(parse(statements, false))))
                .limitedTo(new IdentityPolicy(parse(limit, false)));
    }
}
