#!/usr/bin/env python3
"""Speaks with pippin mcp, or with /mcp of pippin serve, through the official Python client, and says what it got.

    mcp-client.py URL-OF-A-RECORD stdio pippin mcp --storage crawl-data
    mcp-client.py URL-OF-A-RECORD http http://127.0.0.1:8470/mcp [TOKEN]

With version 2 of the package `mcp` it speaks the newest revision, with version 1 the one before it. Each line is a step; the client
itself holds each answer against the schema of its tool. Exit status 1 if an answer is not what it should be.
"""
import asyncio
import contextlib
import importlib.metadata
import json
import sys

SECOND = int(importlib.metadata.version("mcp").split(".")[0]) >= 2


@contextlib.asynccontextmanager
async def connected(kind, arguments):
    """A client with two methods: tools() and call(name, arguments)."""
    if SECOND:
        from mcp.client.client import Client
        from mcp.client.stdio import StdioServerParameters, stdio_client
        if kind == "stdio":
            transport = stdio_client(StdioServerParameters(command=arguments[0], args=arguments[1:]))
        else:
            import httpx2
            from mcp.client.streamable_http import streamable_http_client
            headers = {"Authorization": f"Bearer {arguments[1]}"} if len(arguments) > 1 else {}
            transport = streamable_http_client(arguments[0], http_client=httpx2.AsyncClient(headers=headers))
        async with Client(transport) as client:
            print(f"connected: {client.protocol_version}, {client.server_info.name}")
            yield Both(client, client.instructions)
    else:
        from mcp import ClientSession, StdioServerParameters
        from mcp.client.stdio import stdio_client
        if kind == "stdio":
            transport = stdio_client(StdioServerParameters(command=arguments[0], args=arguments[1:]))
        else:
            from mcp.client.streamable_http import streamablehttp_client
            headers = {"Authorization": f"Bearer {arguments[1]}"} if len(arguments) > 1 else {}
            transport = streamablehttp_client(arguments[0], headers=headers)
        async with transport as streams, ClientSession(streams[0], streams[1]) as session:
            begun = await session.initialize()
            print(f"connected: {begun.protocolVersion}, {begun.serverInfo.name}")
            await session.send_ping()
            yield Both(session, begun.instructions)


class Both:
    """What differs between the two versions in names only."""

    def __init__(self, client, instructions):
        self.client = client
        self.instructions = instructions

    async def tools(self):
        return (await self.client.list_tools()).tools

    async def call(self, name, arguments):
        result = await self.client.call_tool(name, arguments)
        failed = result.is_error if SECOND else result.isError
        structured = result.structured_content if SECOND else result.structuredContent
        text = result.content[0].text
        if not failed:
            assert json.loads(text) == structured, f"{name}: the text is not the structure"
        return failed, text, structured


async def main(page, kind, arguments):
    async with connected(kind, arguments) as client:
        assert "untrustedData" in client.instructions
        tools = await client.tools()
        print("tools:", ", ".join(tool.name for tool in tools))
        assert all((tool.annotations.read_only_hint if SECOND else tool.annotations.readOnlyHint) for tool in tools)
        names = [tool.name for tool in tools]

        failed, _, found = await client.call("search", {"q": page, "limit": 3, "fields": ["title", "url"]})
        assert not failed and found["untrustedData"]["hits"][0]["record"]["url"] == page, found
        print("search:", found["untrustedData"]["hits"][0]["record"]["title"])
        _, _, all_fields = await client.call("search", {"q": "type:product", "facets": True, "explain": True})
        assert all_fields["untrustedData"]["count"] > 0

        failed, text, _ = await client.call("search", {"q": page, "limit": 0})
        assert failed
        print("refused:", text)
        try:
            failed, text, _ = await client.call("shell", {"command": "true"})
            assert failed
        except Exception as error:
            print("unknown tool:", error)
        if names == ["search"]:
            return
        failed, _, record = await client.call("record", {"url": page})
        assert not failed and record["untrustedData"]["record"]["uniqueIdentifier"] == page
        print("record:", record["untrustedData"]["record"]["title"])
        failed, text, _ = await client.call("record", {"url": "https://nobody.example/"})
        assert failed
        print("refused:", text)
        for name in ["why", "robots", "association", "card"]:
            if name not in names:
                continue
            arguments = {"url": page}
            if name == "robots":
                arguments["agents"] = ["Applebot"]
            failed, text, answer = await client.call(name, arguments)
            assert not failed, text
            print(f"{name}: {sorted(answer['untrustedData'])}")
        if not SECOND:
            return
        # A client that waits no longer cancels its request (version 1 does not), and goes on.
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(client.call("card", {"url": page}), 0.05)
        failed, _, _ = await client.call("search", {"q": page})
        assert not failed
        print("after a cancelled card: search answers")


asyncio.run(main(sys.argv[1], sys.argv[2], sys.argv[3:]))
