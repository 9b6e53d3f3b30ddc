/** Names of repositories, revisions and files, and the commits that branches stand for. */
@NullMarked
package io.millrace.backend.hub.repository;

import org.jspecify.annotations.NullMarked;
