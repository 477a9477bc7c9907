export const pageHtml: string = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>argot proxy</title>
<link rel="stylesheet" href="/debug/page.css">
<script src="/debug/page.js" type="module"></script>
</head>
<body>
<header>
<h1>argot proxy</h1>
<p id="state" role="status">Loading…</p>
</header>
<main id="requests"></main>
<noscript><p>This page needs JavaScript.</p></noscript>
</body>
</html>
`
